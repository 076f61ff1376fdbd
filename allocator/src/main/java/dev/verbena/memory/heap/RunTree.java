package dev.verbena.memory.heap;

import static dev.verbena.memory.heap.RunRecord.left;
import static dev.verbena.memory.heap.RunRecord.pageCount;
import static dev.verbena.memory.heap.RunRecord.right;

/**
 * A tree of free runs, ordered by length, then by slab and address: an AVL tree (Adelson-Velsky and Landis, 1962) threaded through the
 * {@link RunRecord}s themselves. The first run that is long enough is the best fit, and of equally long ones the lowest.
 *
 * <p>Invariants: in order; the heights of two siblings differ by at most 1, so every operation is O(log n).
 *
 * <p><b>Owner:</b> none: functions of a root, which is 0 for an empty tree. <b>Threading:</b> guarded by the lock of {@link CentralHeap}.
 */
final class RunTree {
    private RunTree() {}

    /** The shortest run of at least so many pages, at the lowest address; 0 if there is none. */
    static long bestFit(long root, long pages) {
        long best = 0;
        for (long node = root; node != 0;) {
            if (pageCount(node) >= pages) {
                best = node;
                node = left(node);
            } else {
                node = right(node);
            }
        }
        return best;
    }

    /** The run of at least so many pages at the highest address, by looking at all of them; 0 if there is none. */
    static long highest(long root, long pages) {
        if (root == 0) {
            return 0;
        }
        long longer = highest(right(root), pages);
        return pageCount(root) < pages ? longer : higher(root, higher(longer, highest(left(root), pages)));
    }

    /** Of two runs, or 0, the one at the higher address. */
    static long higher(long a, long b) {
        return a == 0 || b != 0 && RunRecord.address(b) > RunRecord.address(a) ? b : a;
    }

    static long longest(long root) {
        long node = root;
        while (right(node) != 0) {
            node = right(node);
        }
        return node;
    }

    /** Adds pages and runs of the tree to the sums; false if it is unsound. */
    static boolean isConsistent(long root, long[] sums) {
        return height(root) == checkedHeight(root, 0, 0, sums);
    }

    /** @return the root now */
    static long insert(long root, long run) {
        if (root == 0) {
            left(run, 0);
            right(run, 0);
            RunRecord.height(run, 1);
            return run;
        }
        int order = order(run, root);
        if (order == 0) {
            throw new IllegalStateException("arena is corrupt: free twice, " + RunRecord.describe(run));
        }
        if (order < 0) {
            left(root, insert(left(root), run));
        } else {
            right(root, insert(right(root), run));
        }
        return balanced(root);
    }

    /** @return the root now */
    static long remove(long root, long run) {
        if (root == 0) {
            throw new IllegalStateException("arena is corrupt: not among the free runs, " + RunRecord.describe(run));
        }
        int order = order(run, root);
        if (order < 0) {
            left(root, remove(left(root), run));
        } else if (order > 0) {
            right(root, remove(right(root), run));
        } else if (left(root) == 0) {
            return right(root);
        } else if (right(root) == 0) {
            return left(root);
        } else {
            long successor = right(root);
            while (left(successor) != 0) {
                successor = left(successor);
            }
            right(successor, removeLeftmost(right(root)));
            left(successor, left(root));
            return balanced(successor);
        }
        return balanced(root);
    }

    private static long removeLeftmost(long node) {
        if (left(node) == 0) {
            return right(node);
        }
        left(node, removeLeftmost(left(node)));
        return balanced(node);
    }

    private static long balanced(long node) {
        int lean = height(left(node)) - height(right(node));
        if (lean > 1) {
            if (height(left(left(node))) < height(right(left(node)))) {
                left(node, rotatedLeft(left(node)));
            }
            return rotatedRight(node);
        }
        if (lean < -1) {
            if (height(right(right(node))) < height(left(right(node)))) {
                right(node, rotatedRight(right(node)));
            }
            return rotatedLeft(node);
        }
        return measured(node);
    }

    private static long rotatedLeft(long node) {
        long top = right(node);
        right(node, left(top));
        left(top, measured(node));
        return measured(top);
    }

    private static long rotatedRight(long node) {
        long top = left(node);
        left(node, right(top));
        right(top, measured(node));
        return measured(top);
    }

    private static long measured(long node) {
        RunRecord.height(node, 1 + Math.max(height(left(node)), height(right(node))));
        return node;
    }

    private static int height(long node) {
        return node == 0 ? 0 : RunRecord.height(node);
    }

    private static int order(long a, long b) {
        if (pageCount(a) != pageCount(b)) {
            return pageCount(a) < pageCount(b) ? -1 : 1;
        }
        if (RunRecord.slab(a) != RunRecord.slab(b)) {
            return RunRecord.slab(a) < RunRecord.slab(b) ? -1 : 1;
        }
        return Long.compare(RunRecord.address(a), RunRecord.address(b));
    }

    /** The height of a sound tree whose runs lie between the two given; -1 of an unsound one. */
    private static int checkedHeight(long node, long above, long below, long[] sums) {
        if (node == 0) {
            return 0;
        }
        int left = checkedHeight(left(node), above, node, sums);
        int right = checkedHeight(right(node), node, below, sums);
        sums[0] += pageCount(node);
        sums[1]++;
        boolean ordered = (above == 0 || order(above, node) < 0) && (below == 0 || order(node, below) < 0);
        boolean balanced = left >= 0 && right >= 0 && Math.abs(left - right) <= 1
                && RunRecord.height(node) == 1 + Math.max(left, right);
        return ordered && balanced && RunRecord.isFree(node) ? RunRecord.height(node) : -1;
    }
}
