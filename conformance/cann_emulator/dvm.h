/* What the launches (fused.c) and the device thread (runtime.c) ask of DVM's machine (dvm.c). */
#include <stddef.h>
#include <stdint.h>

void emulator_dvm_read(const void *data, size_t size);
const char *emulator_dvm_problem(const uint64_t *words, size_t n, uint64_t blocks, uint64_t *uses, size_t *used);
int emulator_dvm_run(int device, const uint64_t *words, size_t n, uint64_t blocks, char *text, size_t text_size);
