/*
 * Pairs of mi_malloc and mi_free over a workload that Workload.java wrote:
 *
 *   allocator_peer replace FILE WARM_UP_MS MS COUNT            random replacement: nanoseconds per pair
 *   allocator_peer replay FILE WARM_UP_MS MS COUNT             a trace: nanoseconds per pair
 *   allocator_peer threads FILE WARM_UP_MS MS COUNT THREADS    random replacement by each of so many threads: million pairs a second
 *   allocator_peer version                                     mimalloc's, as it numbers itself
 *
 * After a warm-up, COUNT stretches of MS milliseconds each; one number per line and stretch, as JMH's iterations.
 */
#include <mimalloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURST 1024
#define LINE 128

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

struct worker {
	struct workload *work;
	int64_t next; /* call */
	pthread_t thread;
	/* Written by the worker, read at the ends of a stretch. */
	_Alignas(LINE) _Atomic int64_t pairs;
};

static atomic_bool is_over;

/* As ReplacingThread.java: fills its slots, then calls one after the other, from another one than the other workers. */
static void *replace_until_over(void *argument)
{
	struct worker *worker = argument;
	struct workload *work = worker->work;
	void **slot = calloc(work->slots, sizeof(void *));
	int64_t next = worker->next, pairs = 0;

	for (int64_t i = 0; i < work->slots; i++)
		slot[i] = allocate(work->bytes[i]);
	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		for (int i = 0; i < BURST; i++) {
			void **place = &slot[work->call[next]];
			mi_free(*place);
			*place = allocate(work->bytes[next]);
			next = next + 1 == work->calls ? 0 : next + 1;
		}
		pairs += BURST;
		atomic_store_explicit(&worker->pairs, pairs, memory_order_relaxed);
	}
	for (int64_t i = 0; i < work->slots; i++)
		mi_free(slot[i]);
	free(slot);
	return NULL;
}

static int64_t pairs_of(struct worker *workers, int threads)
{
	int64_t sum = 0;
	for (int i = 0; i < threads; i++)
		sum += atomic_load_explicit(&workers[i].pairs, memory_order_relaxed);
	return sum;
}

static void sleep_ms(double ms)
{
	struct timespec time = {.tv_sec = ms / 1e3, .tv_nsec = (int64_t)(ms * 1e6) % 1000000000};
	nanosleep(&time, NULL);
}

static void replace_by_threads(struct workload *work, double warm_up_ms, double ms, int count, int threads)
{
	struct worker *workers = aligned_alloc(LINE, threads * sizeof(struct worker));

	for (int i = 0; i < threads; i++) {
		workers[i] = (struct worker){.work = work, .next = work->calls / threads * i};
		if (pthread_create(&workers[i].thread, NULL, replace_until_over, &workers[i])) {
			fprintf(stderr, "allocator_peer: thread %d of %d could not be started\n", i, threads);
			exit(1);
		}
	}
	sleep_ms(warm_up_ms);
	for (; count > 0; count--) {
		double start = now_ns();
		int64_t before = pairs_of(workers, threads);
		sleep_ms(ms);
		int64_t pairs = pairs_of(workers, threads) - before;
		printf("%.3f\n", pairs * 1e3 / (now_ns() - start));
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
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
	bool is_threads = argc == 7 && strcmp(argv[1], "threads") == 0;
	bool is_replace = is_threads || (argc == 6 && strcmp(argv[1], "replace") == 0);
	struct workload work;
	FILE *file;

	if (argc == 2 && strcmp(argv[1], "version") == 0) {
		printf("%d\n", mi_version());
		return 0;
	}
	if ((!is_replace && (argc != 6 || strcmp(argv[1], "replay") != 0)) || !(file = fopen(argv[2], "rb"))) {
		fprintf(stderr, "usage: allocator_peer replace|replay FILE WARM_UP_MS MS COUNT, threads FILE WARM_UP_MS MS COUNT THREADS,"
				" or version\n");
		return 2;
	}
	int64_t *header = read_array(file, 2, sizeof(int64_t));
	work.slots = header[0];
	work.calls = header[1];
	work.call = read_array(file, work.calls, sizeof(int32_t));
	work.bytes = read_array(file, is_replace ? work.calls : work.slots, sizeof(int64_t));
	if (is_threads) {
		replace_by_threads(&work, atof(argv[3]), atof(argv[4]), atoi(argv[5]), atoi(argv[6]));
		return 0;
	}
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
