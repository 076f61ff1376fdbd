package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Engines and protocols with one thing wrong are found out, each for that reason; {@link EngineSimulationTest} finds nothing in those that
 * ship.
 */
class EngineMutantTest {
    private static final int SEEDS = 1000;

    private enum Wrong {
        NEVER_ACKNOWLEDGES("is not settled|does not work", "protocol/StaticPlacementReceiver.java",
                "acknowledgement.write(count);", ""),
        ACKNOWLEDGES_AS_IT_ARRIVES("as it (arrives|is given back): element|lease cannot hold",
                "protocol/StaticPlacementReceiver.java",
                "        received = sequence + 1;",
                "received = sequence + 1; consumed.setRelease((int) (sequence % layout.depth()), sequence + 1);"
                        + "acknowledgementQueuePair.engine().execute(acknowledgementCommand);"),
        LEAVES_WHAT_WAS_POSTPONED("is not settled|does not work|failed though nothing has|heard nothing",
                "engine/Engine.java", "        if (!postponed.isEmpty()) {",
                "        if (postponed.isEmpty() && work < 0) {"),
        SENDS_A_SLOT_AHEAD("as it (arrives|is given back): element|is not settled|does not work|slot that is in use",
                "protocol/StaticPlacementSender.java", "return sent - acknowledgedSeen < layout.depth() && ",
                "return sent - acknowledgedSeen <= layout.depth() && "),
        KEEPS_A_DEAD_TENSOR("arrives as a dead one|more has arrived than was offered",
                "protocol/DynamicAllocationReceiver.java",
                "            next.skip();\n", ""),
        PLACES_IN_A_SLOT_THAT_IS_IN_USE(
                "as it (arrives|is given back): element|more has arrived than was offered|slot that is in use|it is for another one"
                        + "|has no slot for what was placed",
                "protocol/StaticPlacementSender.java", "boolean isReady = isReady() && hasSlotForPart();",
                "boolean isReady = isReady() | true;"),
        TELLS_OF_WHAT_WAS_PLACED_BEFORE_IT_IS_OFFERED(
                "as it (arrives|is given back): element|more has arrived|not what was placed last",
                "protocol/StaticPlacementSender.java", "        Tensor tensor = slots().take(sent);",
                "        Tensor tensor = slots().take(sent);\n        offerPlaced(tensor.address(), tensor, null);"),
        KEEPS_WHAT_IT_HAS_MAPPED("still has ", "protocol/StaticPlacementSender.java",
                "                peer.addCloseListener(unmap);\n", ""),
        SEES_THE_TAIL_OF_THE_ROUND_BEFORE(
                "as it arrives: element|more has arrived than was offered|slot that is in use|malformed record of a tensor",
                "protocol/StaticPlacementReceiver.java", "layout.tailOffset(stripe)) == sequence + 1;",
                "layout.tailOffset(stripe)) != 0;"),
        TRUSTS_A_FLAG_THAT_MAY_LAND_BEFORE_THE_PAYLOAD("as it arrives: element|malformed record of a tensor",
                "protocol/ArrivalChoice.java",
                "        boolean isInOrder = isSenderInOrder && isReceiverInOrder;",
                "        boolean isInOrder = true;"),
        RAISES_THE_FLAG_BEFORE_THE_FIRST_PART(
                "as it arrives: element|malformed (record of a tensor|message of an exchange)",
                "protocol/StaticPlacementSender.java",
                "            return byteSize + layout.tailByteSize() <= capabilities.messageByteSizeMax()\n"
                        + "                    ? prepareLast(request, byteOffset)",
                "            if (placement.tail() && request == workRequest && byteOffset == Striping.begin(\n"
                        + "                    place, lanes.length, whole.byteSize)) {\n"
                        + "                request.reset(0, Opcode.WRITE).remote(\n"
                        + "                        placement.address() + layout.slotOffset(whole.sequence) + layout.tailOffset(),\n"
                        + "                        placement.rkey());\n"
                        + "                whole.addTail(request, SlotLayout.WORD);\n                return 0;\n            }\n"
                        + "            return byteSize + layout.tailByteSize() <= capabilities.messageByteSizeMax()\n"
                        + "                    ? prepareLast(request, byteOffset)"),
        RAISES_THE_FLAG_OF_A_STRIPE_BEFORE_ITS_PAYLOAD("as it arrives: element", "protocol/StaticPlacementSender.java",
                "                return byteOffset == end ? prepareWord(request)\n"
                        + "                        : preparePart(request, byteOffset,\n"
                        + "                                Math.min(end - byteOffset, capabilities.messageByteSizeMax()));",
                "                return byteOffset == Striping.begin(place, lanes.length, whole.byteSize)\n"
                        + "                        ? prepareWord(request) : preparePart(request, byteOffset - SlotLayout.WORD,\n"
                        + "                                Math.min(byteSize, capabilities.messageByteSizeMax()));"),
        TELLS_OF_ARRIVAL_WITH_EVERY_PART(
                "as it arrives: element|more has arrived than was offered|slot that is in use|malformed entry of an exchange",
                "protocol/StaticPlacementSender.java",
                "            whole.addPayload(request, byteOffset, byteOffset + byteSize);\n            return byteSize;",
                "            whole.addPayload(request, byteOffset, byteOffset + byteSize);\n"
                        + "            if (!placement.tail()) {\n"
                        + "                request.opcode = Opcode.WRITE_WITH_IMMEDIATE;\n"
                        + "                request.immediate = placement.receiverId();\n            }\n"
                        + "            return byteSize;"),
        TELLS_OF_ARRIVAL_WITH_THE_FIRST_STRIPE("as it (arrives|is given back): element|slot that is in use",
                "protocol/StaticPlacementReceiver.java",
                "        for (int stripe = 0; stripe < stripes; stripe++) {\n            if (!hasArrived(sequence, stripe)) {",
                "        for (int stripe = 0; stripe < 1; stripe++) {\n            if (!hasArrived(sequence, stripe)) {"),
        SENDS_ALL_STRIPES_BUT_THE_LAST("is not settled|does not work|heard of tensor \\d+ times=0",
                "protocol/StaticPlacementSender.java",
                "            for (Lane lane : lanes) {\n                lane.queuePair.engine().execute(lane);",
                "            for (int i = 0; i < Math.max(1, lanes.length - 1); i++) {\n"
                        + "                Lane lane = lanes[i];\n                lane.queuePair.engine().execute(lane);"),
        FREES_ITS_TENSOR_WITH_THE_FIRST_STRIPE(
                "as it arrives: element|is not settled|does not work|heard twice of tensor",
                "protocol/StaticPlacementSender.java", "            piecesLeft = pieces.length;",
                "            piecesLeft = 1;"),
        PUTS_THE_WORD_BEFORE_THE_BYTES("as it arrives: element|malformed record of a tensor",
                "protocol/StaticPlacementSender.java",
                "            return (byteSize == 0\n",
                "            return queuePair.tryPutWord(tailAddress(0), placement.rkey(), sequence + 1, true) && (byteSize == 0\n"),
        POSTS_WHAT_WAS_PUT(
                "as it (arrives|is given back): element|more has arrived|slot that is in use|takes no such request",
                "protocol/StaticPlacementSender.java", "                boolean isPosted = next.posted == begun;",
                "                boolean isPosted = true;"),
        READS_ANOTHER_TENSOR_AT_ONCE("as it arrives: element", "protocol/DynamicAllocationReceiver.java",
                "place.regionOffset(), record.byteSize());", "place.regionOffset(), record.byteSize() / 2);"),
        DROPS_THE_LAST_PART("as it arrives: element|is not settled|does not work|malformed entry of an exchange",
                "protocol/StaticPlacementSender.java",
                "            whole.addPayload(request, byteOffset, byteOffset + byteSize);\n            return byteSize;",
                "            whole.addPayload(request, byteOffset, byteOffset + byteSize);\n"
                        + "            return byteOffset + byteSize + capabilities.messageByteSizeMax() >= end && !hasWordApart()\n"
                        + "                    ? end - byteOffset : byteSize;"),
        PINS_ANOTHER_TENSOR("as it arrives: element", "protocol/StaticPlacementSender.java",
                "            lease.pin(tensor);", "            lease.pin(tails);"),
        STAYS_PINNED("still has |close of an arena with live or pinned tensors", "protocol/StaticPlacementSender.java",
                "            if (isHeld) {", "            if (isHeld && cause == null) {"),
        HEARS_TWICE("heard twice of tensor", "protocol/StaticPlacementSender.java",
                "            if (listener != null) {",
                "            if (listener != null && cause != null) { listener.onComplete(new TransferException(cause)); }\n"
                        + "            if (listener != null) {"),
        HEARS_NOTHING_OF_FAILURES("heard of tensor \\d+ times=0", "protocol/StaticPlacementSender.java",
                "            if (listener != null) {", "            if (listener != null && cause == null) {"),
        RECEIVER_IGNORES_FAILURE("is not settled", "protocol/StaticPlacementReceiver.java",
                "        if (next == null && failure != null) {",
                "        if (next == null && failure != null && received < 0) {"),
        POSTS_AFTER_A_FAILURE("posted after a failure", "engine/EngineQueuePair.java",
                "        if (failure != null) {\n            end(request, failure);\n        } else if (!post(request)) {",
                "        if (!post(request)) {"),
        LOOKS_ONLY_WHEN_IT_IS_TOLD_OF_AN_EFFECT("does not work|is not settled", "engine/Engine.java",
                "        boolean isPeers = hasReceived || effects", "        boolean isPeers = effects"),
        FORGETS_THOSE_THAT_WAIT("heard of tensor \\d+ times=0|have not ended|still has |is not settled",
                "engine/EngineQueuePair.java",
                "            Request request = takeFirstWaiting();\n            endUnlessInFlight(request, owner.failure());",
                "            firstWaiting = null;"),
        FORGETS_THOSE_THAT_ARE_POSTED("heard of tensor \\d+ times=0|have not ended|still has |is not settled",
                "engine/EngineQueuePair.java",
                "            endUnlessInFlight(remove(), owner.failure());", "            remove();"),
        ENDS_A_LIST_THAT_GOES_ON("as it arrives: element|is not settled|heard of tensor \\d+ times=0",
                "engine/EngineQueuePair.java",
                "        if (request.inFlight == 0 && request.posted == request.listed()) {",
                "        if (request.inFlight == 0) {"),
        LEAVES_OTHERS_WAITING("is not settled|does not work|heard nothing|failed though nothing has",
                "engine/EngineQueuePair.java", "        if (isDone) {\n            postWaiting();",
                "        if (isDone && inFlight < 0) {\n            postWaiting();"),
        CAUSE_IS_TOLD_TWICE("was told losses=", "PeerConnections.java",
                "        lostListeners.forEach(listener -> listener.accept(cause));",
                "        lostListeners.forEach(listener -> { listener.accept(cause); listener.accept(cause); });"),
        TELLS_NOBODY_OF_A_RECEIVER("failed though nothing has|does not work|heard nothing",
                "protocol/ReceiverDirectory.java", "waiting.take(receiver.name())", "waiting.take(\"\")"),
        CALLS_DO_NOT_END("heard nothing: no answer", "protocol/RpcEndpoint.java",
                "        calls.values().forEach(this::fail);", ""),
        MESSAGES_LONGER_THAN_THE_FABRICS("call .* failed though nothing has: .*LOCAL_LENGTH_ERROR",
                "protocol/RpcEndpoint.java", "Math.min(FRAGMENT_BYTE_SIZE, messageByteSizeMax)", "FRAGMENT_BYTE_SIZE"),
        LOSES_THE_GOODBYE("is not settled|still has |failed though nothing has|heard nothing|as it .*: element",
                "protocol/StaticPlacementReceiver.java",
                "            isFree = sender.takeLeave(Farewell.OF_RECEIVER,",
                "            isFree = true; if (false) sender.takeLeave(Farewell.OF_RECEIVER,"),
        KEEPS_ITS_BUFFERS("close of an arena with live or pinned tensors", "protocol/RpcEndpoint.java",
                "        peer.giveBack(buffers);", ""),
        KEEPS_WHAT_MIGHT_BE_WRITTEN("still has |close of an arena with live or pinned tensors",
                "protocol/PeerConnection.java", "        free.forEach(TensorLease::close);", ""),
        RELEASES_WHAT_IT_HAS_ONLY_TOLD_OF("as it arrives: (element|its shape)", "protocol/DynamicAllocationSender.java",
                "        posted++;\n        release();", "        posted++;\n        releaseNext(null);"),
        FORGETS_WHAT_NOBODY_READS_ANY_MORE("heard of tensor \\d+ times=0|is not settled",
                "protocol/DynamicAllocationSender.java",
                "while (isEnded && released.getPlain() < posted) {",
                "while (isEnded && released.getPlain() > posted) {"),
        HANDS_ON_WHAT_IS_BEING_READ("as it arrives: element", "protocol/DynamicAllocationReceiver.java",
                "return now == State.ARRIVED ||", "return now == State.READING || now == State.ARRIVED ||"),
        READS_THE_FIRST_PART_ONLY("as it arrives: element", "engine/Stripe.java",
                "if (cause == null && cursor < end) {",
                "if (cause == null && cursor < end && workRequest.opcode != dev.verbena.transfer.spi.Opcode.READ) {"),
        READS_ALL_STRIPES_BUT_THE_LAST("as it arrives: element", "protocol/DynamicAllocationReceiver.java",
                "            int count = striping.stripeCount(record.byteSize(), from.size());",
                "            int count = striping.stripeCount(record.byteSize(), from.size());\n"
                        + "            if (count > 1) {\n                count--;\n"
                        + "                partsLeft = count;\n                failure = null;\n"
                        + "                for (int i = 0; i < count; i++) {\n"
                        + "                    parts[i] = parts[i] == null ? new Part(this) : parts[i];\n"
                        + "                    parts[i].read(from.get(i), from.getFirst().engine(),\n"
                        + "                            Striping.begin(i, count + 1, record.byteSize()),\n"
                        + "                            Striping.begin(i + 1, count + 1, record.byteSize()));\n"
                        + "                }\n                return;\n            }"),
        HANDS_ON_WITH_THE_FIRST_STRIPE("as it arrives: element", "protocol/DynamicAllocationReceiver.java",
                "            partsLeft = count;", "            partsLeft = 1;"),
        KEEPS_WHAT_NOBODY_HAS_POLLED("still has ", "protocol/DynamicAllocationReceiver.java",
                "            if (landed != null) {\n                landed.drop();",
                "            if (landed != null) {\n"),
        COPY_ENDS_BEFORE_ITS_LAST_PART("is done but not there", "protocol/MemoryCopy.java",
                "if (failure == null && left > 0) {",
                "if (failure == null && left > pool.messageByteSizeMax()) {");

        private final Pattern reason;
        private final Mutant mutant;

        Wrong(String reason, String file, String right, String wrong) {
            this.reason = Pattern.compile(reason);
            mutant = new Mutant(file, right, wrong);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void isFound(Wrong wrong) throws Throwable {
        Mutant.Program program = wrong.mutant.program(DeviceProgram.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                program.run(seed);
            } catch (AssertionError e) {
                String found = e.getMessage().lines().findFirst().orElse("");
                if (!wrong.reason.matcher(found).find()) {
                    fail(wrong + " was found, seed=" + seed + ", but not by '" + wrong.reason + "': " + found, e);
                }
                return;
            }
        }
        fail(wrong + " was not found");
    }
}
