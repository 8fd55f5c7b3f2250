/* Multiplies two matrices on the CPU with a pack: `multiply_c matmul.tuned`. */
#include <stdio.h>
#include <stdlib.h>
#include <tuner/tuner.h>

enum { size = 48 };

static void require(tuner_error error) {
  if (error == TUNER_OK) return;
  fprintf(stderr, "%s %s\n", tuner_error_text(error), tuner_error_detail());
  exit(EXIT_FAILURE);
}

static tuner_value array(float* values) {
  tuner_value value = {TUNER_FLOAT32, 1, {NULL}, size * size * sizeof(float)};
  value.value.pointer = values;
  return value;
}

int main(int argc, char** argv) {
  static _Alignas(64) float a[size * size], b[size * size], c[size * size];
  for (int i = 0; i < size * size; ++i) a[i] = (float)(i % 3), b[i] = i % (size + 1) == 0 ? 2.0F : 0.0F;

  tuner_pack* pack = NULL;
  const tuner_kernel* kernel = NULL;
  require(tuner_pack_open(argc > 1 ? argv[1] : "matmul.tuned", &pack));
  require(tuner_kernel_find(pack, "matmul", "float", &kernel));
  const int64_t sizes[] = {size, size, size};
  tuner_choice choice;
  require(tuner_kernel_pick(kernel, TUNER_CPU, sizes, 3, &choice));
  const tuner_value arguments[] = {array(a), array(b), array(c)};
  require(tuner_kernel_launch(kernel, TUNER_CPU_STREAM, sizes, 3, arguments, 3, NULL, 0));

  int wrong = 0;
  for (int i = 0; i < size * size; ++i) wrong += c[i] != 2 * a[i];
  printf("%s %s: %d wrong of %d\n", choice.kernel, choice.configuration, wrong, size * size);
  tuner_pack_close(pack);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
