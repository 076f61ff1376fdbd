/*
 * Nanoseconds that ibv_post_send and ibv_poll_cq, the inline functions of verbs.h, cost together over do_nothing.c:
 * the best of many short repetitions, as one number: on a busy machine few of them are undisturbed.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <time.h>

int do_nothing_post(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad);
int do_nothing_poll(struct ibv_cq *cq, int count, struct ibv_wc *completions);

enum { PAIRS = 500 * 1000, REPETITIONS = 1000, COMPLETIONS = 16 };

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(void)
{
	static struct ibv_context context;
	static struct ibv_wc completions[COMPLETIONS];
	struct ibv_qp qp = { .context = &context };
	struct ibv_cq cq = { .context = &context };
	struct ibv_send_wr request = { .wr_id = 1 }, *bad;
	double best = 1e18;
	long failed = 0;

	context.ops.post_send = do_nothing_post;
	context.ops.poll_cq = do_nothing_poll;
	for (int repetition = 0; repetition < REPETITIONS; repetition++) {
		double start = now_ns();
		for (int pair = 0; pair < PAIRS; pair++) {
			failed += ibv_post_send(&qp, &request, &bad);
			failed += ibv_poll_cq(&cq, COMPLETIONS, completions);
		}
		double each = (now_ns() - start) / PAIRS;
		best = each < best ? each : best;
	}
	printf("%.3f\n", best);
	return failed != 0;
}
