package dev.verbena.transfer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How members learn where the others listen: each tells rank 0, and asks again until all have. A request is
 * {@code RANK SIZE HOST:PORT}; an answer begins with a letter.
 *
 * <pre>
 *   M HOST:PORT HOST:PORT ..   all members, by rank
 *   W 2, 3                     wait: these ranks are missing
 *   R why                      refused
 * </pre>
 */
final class GroupMeeting {
    private static final Logger LOGGER = LoggerFactory.getLogger(GroupMeeting.class);
    private static final String METHOD = "group meeting";
    private static final char MEMBERS = 'M';
    private static final char WAIT = 'W';
    private static final char REFUSED = 'R';
    private static final long ASK_AGAIN_MS = 20;
    private static final long LOOK_MS = 50;
    private static final long NOTICE_NS = TimeUnit.SECONDS.toNanos(5);

    private GroupMeeting() {}

    /** Rank 0. It answers as long as its device is there: who has come learns of the last one by asking again. */
    static final class Host {
        private final GroupEnvironment environment;
        private final RdmaDevice device;
        /** By rank; null where none has come. Guarded by this. */
        private final String[] members;

        Host(GroupEnvironment environment, RdmaDevice device) {
            this.environment = environment;
            this.device = device;
            members = new String[environment.size()];
            members[0] = device.endpoint().toString();
            device.handle(METHOD, (_, request) -> bytes(answer(text(request))));
        }

        List<Endpoint> await(Duration timeout) {
            Patience patience = new Patience(timeout);
            while (true) {
                long seen = device.activity();
                List<Integer> missing = missing();
                if (missing.isEmpty()) {
                    return Stream.of(members).map(Endpoint::parse).toList();
                }
                String words = "ranks " + missing + " of " + members.length + " at " + environment.master();
                if (patience.isOver()) {
                    throw new TransferException(words + " have not come within " + timeout
                            + "; start them with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE");
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new TransferException("interrupted while waiting for " + words);
                }
                patience.notice("waiting for " + words);
                device.awaitActivity(seen, TimeUnit.MILLISECONDS.toNanos(Math.min(LOOK_MS, patience.sliceMs())));
            }
        }

        private synchronized String answer(String request) {
            String[] words = request.split(" ");
            int rank = Integer.parseInt(words[0]);
            if (Integer.parseInt(words[1]) != members.length) {
                return REFUSED + "WORLD_SIZE=" + words[1] + " there, but " + members.length + " at rank 0";
            }
            if (members[rank] != null && !members[rank].equals(words[2])) {
                return REFUSED + "rank " + rank + " is at " + members[rank] + " already; each has a RANK of its own";
            }
            members[rank] = words[2];
            List<Integer> missing = missing();
            return missing.isEmpty() ? MEMBERS + String.join(" ", members) : WAIT + missing.toString();
        }

        private synchronized List<Integer> missing() {
            List<Integer> missing = new ArrayList<>();
            for (int rank = 0; rank < members.length; rank++) {
                if (members[rank] == null) {
                    missing.add(rank);
                }
            }
            return missing;
        }
    }

    /** Any other rank. What fails may be that rank 0 is just starting, so it is tried until the deadline. */
    static final class Guest {
        private final GroupEnvironment environment;
        private final RdmaDevice device;
        private String missing = "";
        private String state;

        Guest(GroupEnvironment environment, RdmaDevice device) {
            this.environment = environment;
            this.device = device;
            state = "rank 0 at " + environment.master() + ", which has not answered";
        }

        List<Endpoint> await(Duration timeout) {
            Patience patience = new Patience(timeout);
            byte[] request = bytes(environment.rank() + " " + environment.size() + " " + device.endpoint());
            while (true) {
                String answer = ask(request, patience);
                if (answer != null && answer.charAt(0) == MEMBERS) {
                    return Arrays.stream(answer.substring(1).split(" ")).map(Endpoint::parse).toList();
                }
                if (answer != null && answer.charAt(0) == REFUSED) {
                    throw new TransferException(environment + " is refused: " + answer.substring(1));
                }
                if (answer != null) {
                    state = "ranks " + answer.substring(1);
                    missing = ", which was waiting for " + state;
                }
                if (patience.isOver()) {
                    throw new TransferException(environment + " has waited " + timeout + " for " + state);
                }
            }
        }

        /** The answer, or null if there was none. */
        private String ask(byte[] request, Patience patience) {
            Duration left = patience.left();
            CompletableFuture<byte[]> answer = device.callAsync(environment.master(), METHOD, request, left)
                    .toCompletableFuture();
            try {
                while (!patience.isOver()) {
                    patience.notice("waiting for " + state);
                    try {
                        String text = text(answer.get(patience.sliceMs(), TimeUnit.MILLISECONDS));
                        if (text.charAt(0) == WAIT) {
                            Thread.sleep(ASK_AGAIN_MS);
                        }
                        return text;
                    } catch (TimeoutException _) {
                        // Look at the clock.
                    }
                }
            } catch (ExecutionException e) {
                state = "rank 0 at " + environment.master() + ": " + e.getCause().getMessage() + missing;
                pause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TransferException("interrupted while waiting for " + state, e);
            }
            return null;
        }

        private void pause() {
            try {
                Thread.sleep(ASK_AGAIN_MS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Until the deadline, with a word on the log now and then. */
    private static final class Patience {
        private final long beginNs = System.nanoTime();
        private final long timeoutNs;
        private long noticeNs = NOTICE_NS;

        Patience(Duration timeout) {
            timeoutNs = timeout.toNanos();
        }

        boolean isOver() {
            return System.nanoTime() - beginNs >= timeoutNs;
        }

        Duration left() {
            return Duration.ofNanos(Math.max(1, timeoutNs - (System.nanoTime() - beginNs)));
        }

        /** Until there is something to say, or no time left; never 0, which would be for ever. */
        long sliceMs() {
            long untilNs = Math.min(timeoutNs, noticeNs) - (System.nanoTime() - beginNs);
            return Math.max(1, TimeUnit.NANOSECONDS.toMillis(untilNs) + 1);
        }

        void notice(String words) {
            long passedNs = System.nanoTime() - beginNs;
            if (passedNs >= noticeNs) {
                noticeNs += NOTICE_NS;
                LOGGER.warn("{}, for {} s, and {} s more", words, TimeUnit.NANOSECONDS.toSeconds(passedNs),
                        TimeUnit.NANOSECONDS.toSeconds(timeoutNs - passedNs));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
