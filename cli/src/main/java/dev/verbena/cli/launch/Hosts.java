package dev.verbena.cli.launch;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import dev.verbena.cli.BadInputException;
import picocli.CommandLine.Option;

/**
 * The options {@code --hosts} and {@code --ssh}: other hosts, and the way there.
 *
 * <p><b>Owner:</b> {@link LaunchCommand}. <b>Threading:</b> confined to the thread that runs it.
 */
final class Hosts {
    private static final Pattern WITH_COUNT = Pattern.compile("[^:]*:\\d+");
    private static final Pattern OF_THIS_HOST = Pattern.compile("localhost|127\\..*|::1");
    private static final String SSH = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15";

    @Option(names = "--hosts", paramLabel = "HOST", split = ",",
            description = "Hosts on which processes are started by ssh, in a folder of this one's name.")
    private List<String> names = List.of();
    @Option(names = "--ssh", paramLabel = "COMMAND",
            description = "What leads to a host, given its name and a line for its shell; default '" + SSH + "'.")
    private String ssh;

    boolean areGiven() {
        return !names.isEmpty();
    }

    int count() {
        return names.size();
    }

    /** @param hasMaster whether where rank 0 listens is said otherwise */
    void check(boolean hasMaster) {
        if (!areGiven() && ssh != null) {
            throw new BadInputException("--ssh without --hosts, to which it leads");
        }
        if (ssh != null && ssh.isBlank()) {
            throw new BadInputException("--ssh is empty; give a command, such as '" + SSH + "'");
        }
        Set<String> seen = new HashSet<>();
        names.forEach(name -> check(name, seen));
        if (count() > 1 && !hasMaster && OF_THIS_HOST.matcher(firstAddress()).matches()) {
            throw new BadInputException("--hosts begins with " + firstAddress()
                    + ", by which other hosts do not reach rank 0; give another name of it, or --master-addr");
        }
    }

    private static void check(String name, Set<String> seen) {
        if (!SshWords.isHost(name) || WITH_COUNT.matcher(name).matches()) {
            throw new BadInputException("'" + name
                    + "' in --hosts is no host; give names with commas between, and by -n how many processes each has");
        }
        if (!seen.add(name)) {
            throw new BadInputException("--hosts has '" + name + "' twice; -n says how many processes each has");
        }
    }

    /** The first one's, without its user. */
    String firstAddress() {
        return SshWords.addressOf(names.getFirst());
    }

    /** @param node from 0 */
    RankPlace place(int node) {
        return new SshPlace(names.get(node), List.of((ssh == null ? SSH : ssh).strip().split("\\s+")));
    }
}
