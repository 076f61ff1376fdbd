package dev.verbena.graph.run.edge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.RunPlan;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * What a run says to a peer before its tensors, as it lies in memory:
 *
 * <pre>
 *   byte 0             16    24       28
 *        fingerprint | run | length | whose, in UTF-8 and cut to what there is room for
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param fingerprint of the edges between both tasks that the run needs
 * @param sends whether any of them goes to the peer. Not in memory, like the next
 * @param receives whether any of them comes from the peer
 * @param whose fetches and targets, for messages
 */
public record RunNotice(String fingerprint, boolean sends, boolean receives, String whose) {
    public static final ElementType TYPE = ElementType.UINT8;
    public static final Shape SHAPE = Shape.of(TransferPlan.NOTICE_BYTE_SIZE);
    /** What is known of a peer's runs before the first. */
    static final RunNotice NONE = new RunNotice("", false, false, "nothing yet");

    private static final int FINGERPRINT_BYTE_SIZE = 16;
    private static final int RUN_OFFSET = FINGERPRINT_BYTE_SIZE;
    private static final int LENGTH_OFFSET = RUN_OFFSET + Long.BYTES;
    private static final int TEXT_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    private static final int TEXT_BYTE_SIZE_MAX = TransferPlan.NOTICE_BYTE_SIZE - TEXT_OFFSET;

    /** For each peer that a run of the task shares edges with. */
    public static Map<String, RunNotice> of(RunPlan plan, String task, String whose) {
        Set<String> receivers = new HashSet<>();
        Set<String> senders = new HashSet<>();
        for (CrossingEdge edge : plan.edges()) {
            if (edge.fromTask().equals(task)) {
                receivers.add(edge.toTask());
            } else {
                senders.add(edge.fromTask());
            }
        }
        Set<String> peers = new HashSet<>(receivers);
        peers.addAll(senders);
        Map<String, RunNotice> notices = new HashMap<>();
        for (String peer : peers) {
            notices.put(peer, new RunNotice(plan.fingerprint(peer), receivers.contains(peer), senders.contains(peer),
                    whose));
        }
        return notices;
    }

    /** @param run its number, among those that send to the peer */
    void write(MemorySegment memory, long run) {
        ByteBuffer text = ByteBuffer.allocate(TEXT_BYTE_SIZE_MAX);
        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(whose), text, true);
        MemorySegment.copy(fingerprint.getBytes(StandardCharsets.US_ASCII), 0, memory, ValueLayout.JAVA_BYTE, 0,
                FINGERPRINT_BYTE_SIZE);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, RUN_OFFSET, run);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, LENGTH_OFFSET, text.position());
        MemorySegment.copy(text.array(), 0, memory, ValueLayout.JAVA_BYTE, TEXT_OFFSET, text.position());
    }

    static RunNotice read(MemorySegment memory) {
        int length = Math.clamp(memory.get(ValueLayout.JAVA_INT_UNALIGNED, LENGTH_OFFSET), 0, TEXT_BYTE_SIZE_MAX);
        return new RunNotice(text(memory, 0, FINGERPRINT_BYTE_SIZE), true, false, text(memory, TEXT_OFFSET, length));
    }

    static long readRun(MemorySegment memory) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, RUN_OFFSET);
    }

    private static String text(MemorySegment memory, long offset, int byteSize) {
        return new String(memory.asSlice(offset, byteSize).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    boolean agreesWith(RunNotice other) {
        return fingerprint.equals(other.fingerprint);
    }
}
