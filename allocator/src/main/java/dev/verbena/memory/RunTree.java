package dev.verbena.memory;

/**
 * The free runs, ordered by length, then by address: an AVL tree (Adelson-Velsky and Landis, 1962) threaded through the runs
 * themselves, so that nothing is allocated. The first run that is long enough is the best fit, and of equally long ones the lowest.
 *
 * <p>Invariants: in order; the heights of two siblings differ by at most 1, so every operation is O(log n); {@code pageCount} and
 * {@code runCount} are the sums over its runs.
 *
 * <p><b>Owner:</b> {@link PageRuns}. <b>Threading:</b> guarded by the lock of {@link CentralHeap}.
 */
final class RunTree {
    private PageRun root;
    private long pageCount;
    private long runCount;

    long pageCount() {
        return pageCount;
    }

    long runCount() {
        return runCount;
    }

    void insert(PageRun run) {
        run.left = null;
        run.right = null;
        run.height = 1;
        root = insert(root, run);
        pageCount += run.pageCount;
        runCount++;
    }

    void remove(PageRun run) {
        root = remove(root, run);
        run.left = null;
        run.right = null;
        run.height = 0;
        pageCount -= run.pageCount;
        runCount--;
    }

    /** The shortest run of at least so many pages, at the lowest address; null if there is none. */
    PageRun bestFit(long pages) {
        PageRun best = null;
        for (PageRun node = root; node != null;) {
            if (node.pageCount >= pages) {
                best = node;
                node = node.left;
            } else {
                node = node.right;
            }
        }
        return best;
    }

    /** Pages of the longest run; 0 if there is none. */
    long longest() {
        PageRun node = root;
        while (node != null && node.right != null) {
            node = node.right;
        }
        return node == null ? 0 : node.pageCount;
    }

    boolean isConsistent() {
        long[] sums = new long[2];
        return height(root) == checkedHeight(root, null, null, sums) && sums[0] == pageCount && sums[1] == runCount;
    }

    private static PageRun insert(PageRun node, PageRun run) {
        if (node == null) {
            return run;
        }
        int order = order(run, node);
        if (order == 0) {
            throw new IllegalStateException("arena is corrupt: free twice, " + run);
        }
        if (order < 0) {
            node.left = insert(node.left, run);
        } else {
            node.right = insert(node.right, run);
        }
        return balanced(node);
    }

    private static PageRun remove(PageRun node, PageRun run) {
        if (node == null) {
            throw new IllegalStateException("arena is corrupt: not among the free runs, " + run);
        }
        int order = order(run, node);
        if (order < 0) {
            node.left = remove(node.left, run);
        } else if (order > 0) {
            node.right = remove(node.right, run);
        } else if (node.left == null) {
            return node.right;
        } else if (node.right == null) {
            return node.left;
        } else {
            PageRun successor = node.right;
            while (successor.left != null) {
                successor = successor.left;
            }
            successor.right = removeLeftmost(node.right);
            successor.left = node.left;
            return balanced(successor);
        }
        return balanced(node);
    }

    private static PageRun removeLeftmost(PageRun node) {
        if (node.left == null) {
            return node.right;
        }
        node.left = removeLeftmost(node.left);
        return balanced(node);
    }

    private static PageRun balanced(PageRun node) {
        int lean = height(node.left) - height(node.right);
        if (lean > 1) {
            if (height(node.left.left) < height(node.left.right)) {
                node.left = rotatedLeft(node.left);
            }
            return rotatedRight(node);
        }
        if (lean < -1) {
            if (height(node.right.right) < height(node.right.left)) {
                node.right = rotatedRight(node.right);
            }
            return rotatedLeft(node);
        }
        return measured(node);
    }

    private static PageRun rotatedLeft(PageRun node) {
        PageRun top = node.right;
        node.right = top.left;
        top.left = measured(node);
        return measured(top);
    }

    private static PageRun rotatedRight(PageRun node) {
        PageRun top = node.left;
        node.left = top.right;
        top.right = measured(node);
        return measured(top);
    }

    private static PageRun measured(PageRun node) {
        node.height = 1 + Math.max(height(node.left), height(node.right));
        return node;
    }

    private static int height(PageRun node) {
        return node == null ? 0 : node.height;
    }

    private static int order(PageRun a, PageRun b) {
        if (a.pageCount != b.pageCount) {
            return a.pageCount < b.pageCount ? -1 : 1;
        }
        if (a.slab.index != b.slab.index) {
            return a.slab.index < b.slab.index ? -1 : 1;
        }
        return Long.compare(a.startPage, b.startPage);
    }

    /** The height of a sound tree whose runs lie between the two given; -1 of an unsound one. */
    private static int checkedHeight(PageRun node, PageRun above, PageRun below, long[] sums) {
        if (node == null) {
            return 0;
        }
        int left = checkedHeight(node.left, above, node, sums);
        int right = checkedHeight(node.right, node, below, sums);
        sums[0] += node.pageCount;
        sums[1]++;
        boolean ordered = (above == null || order(above, node) < 0) && (below == null || order(node, below) < 0);
        boolean balanced = left >= 0 && right >= 0 && Math.abs(left - right) <= 1
                && node.height == 1 + Math.max(left, right);
        return ordered && balanced && node.use() == PageRun.Use.FREE ? node.height : -1;
    }
}
