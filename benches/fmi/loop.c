/* The bare loop: load the binary, step it, read its two outputs and see that they are numbers, as Tandem does. Prints steps per second and the
   last value. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef struct { void *log, *alloc, *free, *done, *env; } Callbacks;
int main(int n, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  long steps = atol(words[2]);
  if (!library) return 1;
  void *(*make)(const char *, int, const char *, const char *, const void *, int, int) = dlsym(library, "fmi2Instantiate");
  int (*step)(void *, double, double, int) = dlsym(library, "fmi2DoStep");
  int (*get)(void *, const unsigned *, size_t, double *) = dlsym(library, "fmi2GetReal");
  Callbacks callbacks = {0};
  void *model = make("m", 1, "van-der-pol", "file:///", &callbacks, 0, 0);
  unsigned references[2] = {1, 2};
  double values[2];
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (long k = 0; k < steps; k++) {
    if (step(model, k * 0.01, 0.01, 1) > 1) return 2;
    if (get(model, references, 2, values) > 1) return 2;
    if (!isfinite(values[0]) || !isfinite(values[1])) return 3;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  double seconds = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
  printf("%.17g %.17g\n", steps / seconds, values[0]);
  return 0;
}
