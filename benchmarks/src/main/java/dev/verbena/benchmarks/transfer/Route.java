package dev.verbena.benchmarks.transfer;

import java.util.List;

/**
 * From where to where tensors go, and over which fabric ours do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Route(EndHost receiver, EndHost sender, String fabric) {
    static final String FABRIC_HERE = "shm";
    private static final String FABRIC_BETWEEN_HOSTS = "verbs";

    /** Between two processes of this host. @param fabric null for shared memory */
    static Route here(String fabric) {
        return new Route(EndHost.HERE, EndHost.HERE, fabric == null ? FABRIC_HERE : fabric);
    }

    /**
     * Between two hosts.
     *
     * @param names of the receiver's and of the sender's, with a comma between
     * @param fabric null for verbs
     * @throws IllegalArgumentException if these are not two hosts
     */
    static Route between(String names, List<String> ssh, String fabric) {
        String[] both = names.split(",", -1);
        if (both.length != 2 || both[0].equals(both[1])) {
            throw new IllegalArgumentException(
                    "--hosts=" + names + " must be two: the receiver's and the sender's, as in --hosts a,b");
        }
        return new Route(EndHost.of(both[0], ssh), EndHost.of(both[1], ssh),
                fabric == null ? FABRIC_BETWEEN_HOSTS : fabric);
    }

    boolean isBetweenHosts() {
        return !receiver.isHere();
    }

    /** In words. */
    String describe() {
        return isBetweenHosts() ? "from " + sender.address() + " to " + receiver.address() + ", over " + fabric
                : "from a process to another on the same machine, over " + fabric;
    }
}
