/*
 * Nanoseconds per pair of mi_malloc and mi_free over a workload that Workload.java wrote:
 *
 *   allocator_peer replace FILE WARM_UP_MS MS COUNT    random replacement
 *   allocator_peer replay FILE WARM_UP_MS MS COUNT     a trace
 *   allocator_peer version                             mimalloc's, as it numbers itself
 *
 * After a warm-up, COUNT stretches of MS milliseconds each; one number per line and stretch, as JMH's iterations.
 */
#include <mimalloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct workload {
	int64_t slots, calls;
	int32_t *call;
	int64_t *bytes;
	void **slot;
	int64_t pairs; /* of one pass */
};

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void *allocate(int64_t bytes)
{
	void *memory = mi_malloc(bytes);
	if (!memory) {
		fprintf(stderr, "allocator_peer: mi_malloc bytes=%lld failed: more memory is needed\n", (long long)bytes);
		exit(1);
	}
	return memory;
}

static void replace(struct workload *work)
{
	for (int64_t i = 0; i < work->calls; i++) {
		int32_t slot = work->call[i];
		mi_free(work->slot[slot]);
		work->slot[slot] = allocate(work->bytes[i]);
	}
}

static void replay(struct workload *work)
{
	for (int64_t i = 0; i < work->calls; i++) {
		int32_t call = work->call[i];
		if (call >= 0)
			work->slot[call] = allocate(work->bytes[call]);
		else
			mi_free(work->slot[~call]);
	}
}

/* Passes until the time is over; nanoseconds per pair. */
static double run(struct workload *work, void (*pass)(struct workload *), double ms)
{
	double start = now_ns(), end = start;
	int64_t passes = 0;

	do {
		pass(work);
		passes++;
		end = now_ns();
	} while (end - start < ms * 1e6);
	return (end - start) / passes / work->pairs;
}

static void *read_array(FILE *file, int64_t count, size_t bytes)
{
	void *array = malloc(count * bytes + 1);
	if (!array || fread(array, bytes, count, file) != (size_t)count) {
		fprintf(stderr, "allocator_peer: the file is too short or too long for this machine\n");
		exit(1);
	}
	return array;
}

int main(int argc, char **argv)
{
	bool is_replace = argc == 6 && strcmp(argv[1], "replace") == 0;
	struct workload work;
	FILE *file;

	if (argc == 2 && strcmp(argv[1], "version") == 0) {
		printf("%d\n", mi_version());
		return 0;
	}
	if (argc != 6 || (!is_replace && strcmp(argv[1], "replay") != 0) || !(file = fopen(argv[2], "rb"))) {
		fprintf(stderr, "usage: allocator_peer replace|replay FILE WARM_UP_MS MS COUNT, or version\n");
		return 2;
	}
	int64_t *header = read_array(file, 2, sizeof(int64_t));
	work.slots = header[0];
	work.calls = header[1];
	work.call = read_array(file, work.calls, sizeof(int32_t));
	work.bytes = read_array(file, is_replace ? work.calls : work.slots, sizeof(int64_t));
	work.slot = calloc(work.slots, sizeof(void *));
	work.pairs = is_replace ? work.calls : work.slots;
	if (is_replace)
		for (int64_t slot = 0; slot < work.slots; slot++)
			work.slot[slot] = allocate(work.bytes[slot]);
	run(&work, is_replace ? replace : replay, atof(argv[3]));
	for (int count = atoi(argv[5]); count > 0; count--)
		printf("%.3f\n", run(&work, is_replace ? replace : replay, atof(argv[4])));
	return 0;
}
