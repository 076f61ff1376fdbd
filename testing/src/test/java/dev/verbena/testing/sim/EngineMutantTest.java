package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Engines and protocols with one thing wrong are found out, each; {@link EngineSimulationTest} finds nothing in those that ship. */
class EngineMutantTest {
    private static final int SEEDS = 300;

    private enum Wrong {
        NEVER_ACKNOWLEDGES("protocol/StaticPlacementReceiver.java", "acknowledgement.write(acknowledged);", ""),
        ACKNOWLEDGES_AS_IT_ARRIVES("protocol/StaticPlacementReceiver.java", "        received = sequence + 1;",
                "received = sequence + 1; consumed.setRelease((int) (sequence % layout.depth()), sequence + 1);"
                        + "acknowledgementQueuePair.engine().execute(acknowledgementCommand);"),
        SENDS_A_SLOT_AHEAD("protocol/StaticPlacementSender.java",
                "return sent - acknowledgedAcquire() < layout.depth() && ",
                "return sent - acknowledgedAcquire() <= layout.depth() && "),
        SEES_THE_TAIL_OF_THE_ROUND_BEFORE("protocol/StaticPlacementReceiver.java",
                "layout.tailOffset()) == sequence + 1;", "layout.tailOffset()) != 0;"),
        TELLS_OF_ARRIVAL_WITH_EVERY_PART("protocol/StaticPlacementSender.java",
                "last && !placement.tail() ? Opcode", "!placement.tail() ? Opcode"),
        DROPS_THE_LAST_PART("protocol/StaticPlacementSender.java",
                "if (cause == null && cursor < layout.byteSize()) {",
                "if (cause == null && cursor + capabilities.messageByteSizeMax() < layout.byteSize()) {"),
        UNPINS_WHEN_OFFERED("protocol/StaticPlacementSender.java",
                "            prepareChunk();\n            queuePair.execute(this);",
                "            prepareChunk(); lease.close();\n            queuePair.execute(this);"),
        STAYS_PINNED("protocol/StaticPlacementSender.java",
                "            lease.close();\n            busy = false;",
                "            if (cause == null) { lease.close(); }\n            busy = false;"),
        HEARS_TWICE("protocol/StaticPlacementSender.java", "            if (listener != null) {",
                "            if (listener != null && cause != null) { listener.onComplete(new TransferException(cause)); }\n"
                        + "            if (listener != null) {"),
        HEARS_NOTHING_OF_FAILURES("protocol/StaticPlacementSender.java", "            if (listener != null) {",
                "            if (listener != null && cause == null) {"),
        RECEIVER_IGNORES_FAILURE("protocol/StaticPlacementReceiver.java",
                "        if (next == null && failure != null) {",
                "        if (next == null && failure != null && received < 0) {"),
        FORGETS_THOSE_THAT_WAIT("engine/EngineQueuePair.java",
                "            firstWaiting = request.nextWaiting;\n            end(request, owner.failure());",
                "            firstWaiting = null;"),
        FORGETS_THOSE_THAT_ARE_POSTED("engine/EngineQueuePair.java",
                "                end(request, owner.failure());\n            }\n        }\n        engine.release(index);",
                "            }\n        }\n        engine.release(index);"),
        LEAVES_OTHERS_WAITING("engine/EngineQueuePair.java", "        if (isDone) {\n            postWaiting();",
                "        if (isDone && freeCount < 0) {\n            postWaiting();"),
        CAUSE_IS_TOLD_TWICE("PeerConnections.java",
                "        lostListeners.forEach(listener -> listener.accept(cause));",
                "        lostListeners.forEach(listener -> { listener.accept(cause); listener.accept(cause); });"),
        TELLS_NOBODY_OF_A_RECEIVER("protocol/ReceiverDirectory.java", "waiting.take(receiver.name())",
                "waiting.take(\"\")"),
        CALLS_DO_NOT_END("protocol/RpcEndpoint.java", "        calls.values().forEach(this::fail);", ""),
        KEEPS_ITS_BUFFERS("protocol/RpcEndpoint.java", "        peer.giveBack(buffers);", ""),
        KEEPS_WHAT_MIGHT_BE_WRITTEN("protocol/PeerConnection.java", "        free.forEach(TensorLease::close);", ""),
        COPY_ENDS_BEFORE_ITS_LAST_PART("protocol/MemoryCopy.java", "if (failure == null && left > 0) {",
                "if (failure == null && left > pool.messageByteSizeMax()) {");

        private final Mutant mutant;

        Wrong(String file, String right, String wrong) {
            mutant = new Mutant(file, right, wrong);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void isFound(Wrong wrong) {
        Mutant.Program program = wrong.mutant.program();
        assertThrows(AssertionError.class, () -> {
            for (long seed = 1; seed <= SEEDS; seed++) {
                program.run(seed);
            }
        }, wrong + " was not found");
    }
}
