/* A mass on a spring and a damper, FMI 2.0 and 3.0, Co-Simulation and Model Exchange, made without Tandem. Co-Simulation solves a step with held
   inputs exactly. It stands on a floor where `floor` is 1: below zero it bounces back (a state event), losing half of its velocity.
   Values: 1 x, 2 v, 3 der(x), 4 der(v), 5 m, 6 c, 7 k, 8 f, 9 g, 10 floor, 11 kick: a time event, at which the velocity grows by one,
   12 crash: a step of Co-Simulation from there on kills the process. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef struct { double time, x, v, m, c, k, f, g, floor, kick, crash, stop; int kicked; } M;
static M *make(const char *token) {
  if (strcmp(token, "mass")) return 0;
  M *m = calloc(1, sizeof *m);
  m->m = 1; m->kick = -1; m->crash = -1; m->stop = INFINITY;
  return m;
}
static double pull(const M *m, double x, double v) { return (m->f - m->c * v - m->k * x) / m->m - m->g; }
static double *slot(M *m, unsigned r) {
  double *all[] = {0, &m->x, &m->v, 0, 0, &m->m, &m->c, &m->k, &m->f, &m->g, &m->floor, &m->kick, &m->crash};
  return r < 13 ? all[r] : 0;
}
static int get(M *m, const unsigned *r, size_t n, double *v) {
  for (size_t i = 0; i < n; i++) {
    if (r[i] == 3) v[i] = m->v;
    else if (r[i] == 4) v[i] = pull(m, m->x, m->v);
    else if (slot(m, r[i])) v[i] = *slot(m, r[i]);
    else return 3;
  }
  return 0;
}
static int set(M *m, const unsigned *r, size_t n, const double *v) {
  for (size_t i = 0; i < n; i++) {
    if (!slot(m, r[i])) return 3;
    *slot(m, r[i]) = v[i];
  }
  return 0;
}
static int step(M *m, double t, double h) {
  if (m->crash >= 0 && t > m->crash - 1e-9) abort();
  if (t + h > m->stop) return 3; /* as the standard demands */
  double w2 = m->k / m->m, a = m->c / (2 * m->m), load = m->f / m->m - m->g;
  if (w2 <= 0) {
    m->x += m->v * h + load * h * h / 2;
    m->v += load * h;
  } else {
    double w = sqrt(w2 - a * a), rest = load / w2, y = m->x - rest, e = exp(-a * h), C = cos(w * h), S = sin(w * h);
    double b = (m->v + a * y) / w;
    m->x = rest + e * (y * C + b * S);
    m->v = e * (m->v * C - (a * m->v + w2 * y) / w * S);
  }
  m->time = t + h;
  return 0;
}
static int update(M *m, int *changed) {
  *changed = 0;
  if (m->floor && m->x <= 0 && m->v < 0) { m->x = 0; m->v *= -0.5; *changed = 1; }
  if (!m->kicked && m->kick >= 0 && m->time >= m->kick) { m->kicked = 1; m->v += 1; *changed = 1; }
  return !m->kicked && m->kick >= 0;
}
static int slope(M *m, const unsigned *z, size_t nz, const unsigned *k, size_t nk, const double *seed, double *out) {
  for (size_t i = 0; i < nz; i++) {
    out[i] = 0;
    for (size_t j = 0; j < nk; j++) {
      if (z[i] == 3) out[i] += k[j] == 2 ? seed[j] : 0;
      else if (z[i] == 4) out[i] += (k[j] == 1 ? -m->k / m->m : k[j] == 2 ? -m->c / m->m : k[j] == 8 ? 1 / m->m : k[j] == 9 ? -1 : 0) * seed[j];
      else return 3;
    }
  }
  return 0;
}
static int save(M *m, void **s) { if (!*s) *s = malloc(sizeof *m); memcpy(*s, m, sizeof *m); return 0; }
static int drop(void **s) { free(*s); *s = 0; return 0; }
/* FMI 2.0 */
OUT void *fmi2Instantiate(const char *n, int kind, const char *g, const char *r, const void *c, int v, int l) { return make(g); }
OUT void fmi2FreeInstance(void *m) { free(m); }
OUT int fmi2SetupExperiment(M *m, int d, double t, double s, int e, double x) { m->time = s; if (e) m->stop = x; return 0; }
OUT int fmi2EnterInitializationMode(M *m) { return 0; }
OUT int fmi2ExitInitializationMode(M *m) { return 0; }
OUT int fmi2Terminate(M *m) { return 0; }
OUT int fmi2GetReal(M *m, const unsigned *r, size_t n, double *v) { return get(m, r, n, v); }
OUT int fmi2SetReal(M *m, const unsigned *r, size_t n, const double *v) { return set(m, r, n, v); }
OUT int fmi2DoStep(M *m, double t, double h, int x) { return step(m, t, h); }
OUT int fmi2SetTime(M *m, double t) { m->time = t; return 0; }
OUT int fmi2SetContinuousStates(M *m, const double *x, size_t n) { m->x = x[0]; m->v = x[1]; return 0; }
OUT int fmi2GetContinuousStates(M *m, double *x, size_t n) { x[0] = m->x; x[1] = m->v; return 0; }
OUT int fmi2GetDerivatives(M *m, double *d, size_t n) { d[0] = m->v; d[1] = pull(m, m->x, m->v); return 0; }
OUT int fmi2GetEventIndicators(M *m, double *z, size_t n) { z[0] = m->floor ? m->x : 1; return 0; }
OUT int fmi2CompletedIntegratorStep(M *m, int x, int *event, int *end) { *event = *end = 0; return 0; }
OUT int fmi2EnterEventMode(M *m) { return 0; }
OUT int fmi2EnterContinuousTimeMode(M *m) { return 0; }
typedef struct { int again, end, nominals, values, defined; double next; } Info;
OUT int fmi2NewDiscreteStates(M *m, Info *i) {
  memset(i, 0, sizeof *i);
  i->defined = update(m, &i->values);
  i->next = m->kick;
  return 0;
}
OUT int fmi2GetFMUstate(M *m, void **s) { return save(m, s); }
OUT int fmi2SetFMUstate(M *m, void *s) { memcpy(m, s, sizeof *m); return 0; }
OUT int fmi2FreeFMUstate(M *m, void **s) { return drop(s); }
OUT int fmi2GetDirectionalDerivative(M *m, const unsigned *z, size_t nz, const unsigned *k, size_t nk, const double *s, double *o) { return slope(m, z, nz, k, nk, s, o); }
/* FMI 3.0 */
#include <stdbool.h>
OUT void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool y, const unsigned *q, size_t c, void *x, void *f, void *i) { return make(g); }
OUT void *fmi3InstantiateModelExchange(const char *n, const char *g, const char *r, bool v, bool l, void *x, void *f) { return make(g); }
OUT void fmi3FreeInstance(void *m) { free(m); }
OUT int fmi3EnterInitializationMode(M *m, bool d, double t, double s, bool e, double x) { m->time = s; if (e) m->stop = x; return 0; }
OUT int fmi3ExitInitializationMode(M *m) { return 0; }
OUT int fmi3Terminate(M *m) { return 0; }
OUT int fmi3GetFloat64(M *m, const unsigned *r, size_t n, double *v, size_t k) { return get(m, r, n, v); }
OUT int fmi3SetFloat64(M *m, const unsigned *r, size_t n, const double *v, size_t k) { return set(m, r, n, v); }
OUT int fmi3DoStep(M *m, double t, double h, bool x, bool *event, bool *end, bool *early, double *last) {
  *event = *end = *early = false;
  *last = t + h;
  return step(m, t, h);
}
OUT int fmi3SetTime(M *m, double t) { m->time = t; return 0; }
OUT int fmi3SetContinuousStates(M *m, const double *x, size_t n) { return fmi2SetContinuousStates(m, x, n); }
OUT int fmi3GetContinuousStates(M *m, double *x, size_t n) { return fmi2GetContinuousStates(m, x, n); }
OUT int fmi3GetContinuousStateDerivatives(M *m, double *d, size_t n) { return fmi2GetDerivatives(m, d, n); }
OUT int fmi3GetEventIndicators(M *m, double *z, size_t n) { return fmi2GetEventIndicators(m, z, n); }
OUT int fmi3CompletedIntegratorStep(M *m, bool x, bool *event, bool *end) { *event = *end = false; return 0; }
OUT int fmi3EnterEventMode(M *m) { return 0; }
OUT int fmi3EnterContinuousTimeMode(M *m) { return 0; }
OUT int fmi3UpdateDiscreteStates(M *m, bool *again, bool *end, bool *nominals, bool *values, bool *defined, double *next) {
  int changed;
  *again = *end = *nominals = false;
  *defined = update(m, &changed);
  *values = changed;
  *next = m->kick;
  return 0;
}
OUT int fmi3GetFMUState(M *m, void **s) { return save(m, s); }
OUT int fmi3SetFMUState(M *m, void *s) { memcpy(m, s, sizeof *m); return 0; }
OUT int fmi3FreeFMUState(M *m, void **s) { return drop(s); }
OUT int fmi3GetDirectionalDerivative(M *m, const unsigned *z, size_t nz, const unsigned *k, size_t nk, const double *s, size_t ns, double *o, size_t no) { return slope(m, z, nz, k, nk, s, o); }
