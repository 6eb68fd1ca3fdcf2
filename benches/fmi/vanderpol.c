/* Van der Pol's oscillator as a Co-Simulation FMU of FMI 2.0, Euler steps of 10 ms inside: what the bench steps. */
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef struct { double x[2], mu; } Model;
OUT const char *fmi2GetTypesPlatform(void) { return "default"; }
OUT const char *fmi2GetVersion(void) { return "2.0"; }
OUT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names) { return 0; }
OUT void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const void *callbacks, int visible, int logging) {
  if (strcmp(guid, "van-der-pol")) return 0;
  Model *m = calloc(1, sizeof *m);
  m->x[0] = 2; m->mu = 1;
  return m;
}
OUT void fmi2FreeInstance(void *c) { free(c); }
OUT int fmi2SetupExperiment(void *c, int d, double tolerance, double start, int e, double stop) { return 0; }
OUT int fmi2EnterInitializationMode(void *c) { return 0; }
OUT int fmi2ExitInitializationMode(void *c) { return 0; }
OUT int fmi2Terminate(void *c) { return 0; }
OUT int fmi2Reset(void *c) { return 0; }
OUT int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
  Model *m = c;
  for (size_t i = 0; i < n; i++) v[i] = r[i] == 3 ? m->mu : m->x[r[i] - 1];
  return 0;
}
OUT int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
  Model *m = c;
  for (size_t i = 0; i < n; i++) *(r[i] == 3 ? &m->mu : &m->x[r[i] - 1]) = v[i];
  return 0;
}
OUT int fmi2DoStep(void *c, double t, double h, int no_set) {
  Model *m = c;
  double a = m->x[1], b = m->mu * (1 - m->x[0] * m->x[0]) * m->x[1] - m->x[0];
  m->x[0] += h * a;
  m->x[1] += h * b;
  return 0;
}
/* FMPy looks for every function of the standard. */
#define NONE(name) OUT int name(void) { return 3; }
NONE(fmi2CancelStep) NONE(fmi2GetStatus) NONE(fmi2GetRealStatus) NONE(fmi2GetIntegerStatus) NONE(fmi2GetBooleanStatus)
NONE(fmi2GetStringStatus) NONE(fmi2GetInteger) NONE(fmi2SetInteger) NONE(fmi2GetBoolean) NONE(fmi2SetBoolean) NONE(fmi2GetString)
NONE(fmi2SetString) NONE(fmi2GetFMUstate) NONE(fmi2SetFMUstate) NONE(fmi2FreeFMUstate) NONE(fmi2SerializedFMUstateSize)
NONE(fmi2SerializeFMUstate) NONE(fmi2DeSerializeFMUstate) NONE(fmi2GetDirectionalDerivative) NONE(fmi2SetRealInputDerivatives)
NONE(fmi2GetRealOutputDerivatives)
