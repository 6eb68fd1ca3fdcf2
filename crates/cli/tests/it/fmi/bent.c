/* A mass of 80 kg on a spring of 12 kN/m and a damper of 60 N s/m (FMI 2.0, Model Exchange), bent in several ways, made without Tandem.
   Values: 1 x, 2 v, 3 der(x), 4 der(v), 5 f, 6 g, 7 cubic: N/m³ more, 8 soft: the spring yields at this displacement (nowhere: 0), 9 sign: of the force,
   10 kick: time events from then on, each a tenth of a millisecond after the other, at the first of which the velocity grows by a half, 11 kicks: their number,
   12 blind: the event indicator is no number from this time on, 13 sticks: the derivatives are no numbers from this time on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef struct { double value[14], time; int done; } M;
enum { X = 1, V, DX, DV, F, G, CUBIC, SOFT, SIGN, KICK, KICKS, BLIND, STICKS };
static double pull(M *m) {
  double *p = m->value, x = p[X], s = p[SOFT];
  if (p[STICKS] >= 0 && m->time >= p[STICKS]) return NAN;
  double held = s > 0 ? fmax(-s, fmin(s, x)) : x;
  return (p[SIGN] * p[F] - 12000 * held - p[CUBIC] * x * x * x - 60 * p[V]) / 80 - p[G];
}
OUT void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l) {
  M *m = calloc(1, sizeof *m);
  m->value[SIGN] = m->value[KICKS] = 1;
  m->value[KICK] = m->value[BLIND] = m->value[STICKS] = -1;
  return m;
}
OUT void fmi2FreeInstance(M *m) { free(m); }
OUT int fmi2SetupExperiment(M *m, int d, double t, double s, int e, double x) { m->time = s; return 0; }
OUT int fmi2EnterInitializationMode(M *m) { return 0; }
OUT int fmi2ExitInitializationMode(M *m) { return 0; }
OUT int fmi2Terminate(M *m) { return 0; }
OUT int fmi2GetReal(M *m, const unsigned *r, size_t n, double *v) {
  for (size_t i = 0; i < n; i++) v[i] = r[i] == DX ? m->value[V] : r[i] == DV ? pull(m) : m->value[r[i]];
  return 0;
}
OUT int fmi2SetReal(M *m, const unsigned *r, size_t n, const double *v) {
  for (size_t i = 0; i < n; i++) m->value[r[i]] = v[i];
  return 0;
}
OUT int fmi2SetTime(M *m, double t) { m->time = t; return 0; }
OUT int fmi2SetContinuousStates(M *m, const double *x, size_t n) { m->value[X] = x[0]; m->value[V] = x[1]; return 0; }
OUT int fmi2GetContinuousStates(M *m, double *x, size_t n) { x[0] = m->value[X]; x[1] = m->value[V]; return 0; }
OUT int fmi2GetDerivatives(M *m, double *d, size_t n) { d[0] = m->value[V]; d[1] = pull(m); return 0; }
OUT int fmi2GetEventIndicators(M *m, double *z, size_t n) { z[0] = m->value[BLIND] >= 0 && m->time >= m->value[BLIND] ? NAN : 1; return 0; }
OUT int fmi2CompletedIntegratorStep(M *m, int x, int *event, int *end) { *event = *end = 0; return 0; }
OUT int fmi2EnterEventMode(M *m) { return 0; }
OUT int fmi2EnterContinuousTimeMode(M *m) { return 0; }
typedef struct { int again, end, nominals, values, defined; double next; } Info;
OUT int fmi2NewDiscreteStates(M *m, Info *i) {
  memset(i, 0, sizeof *i);
  double *p = m->value;
  if (p[KICK] >= 0 && m->done < p[KICKS] && m->time >= p[KICK] + 1e-4 * m->done) {
    if (m->done++ == 0) { p[V] += 0.5; i->values = 1; }
  }
  i->defined = p[KICK] >= 0 && m->done < p[KICKS];
  i->next = p[KICK] + 1e-4 * m->done;
  return 0;
}
OUT int fmi2GetDirectionalDerivative(M *m, const unsigned *z, size_t nz, const unsigned *k, size_t nk, const double *s, double *o) {
  double *p = m->value;
  for (size_t i = 0; i < nz; i++) {
    o[i] = 0;
    for (size_t j = 0; j < nk; j++) {
      if (z[i] == DX) o[i] += k[j] == V ? s[j] : 0;
      else o[i] += s[j] * (k[j] == X ? -(12000 + 3 * p[CUBIC] * p[X] * p[X]) / 80 : k[j] == V ? -60. / 80 : k[j] == F ? p[SIGN] / 80 : k[j] == G ? -1 : 0);
    }
  }
  return 0;
}
