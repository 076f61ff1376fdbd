package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

/**
 * What this side knows of why its device refused what the peer asked of it: the device tells neither side.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class PeerRequests {
    private final VerbsFabric fabric;
    private final PostedReceives receives;

    PeerRequests(VerbsFabric fabric, PostedReceives receives) {
        this.fabric = fabric;
        this.receives = receives;
    }

    /**
     * Of a request that was refused with a status.
     *
     * @param receive that it took, if it takes one
     */
    String verdict(FailedRequest failed, long receive) {
        String detail = switch (failed.status()) {
            case REMOTE_ACCESS_ERROR -> {
                String refusal = refusal(failed);
                yield refusal == null ? "the device refuses it, though the region allows it" : refusal;
            }
            case REMOTE_INVALID_REQUEST ->
                failed.opcode().consumesReceive() ? receives.fault(receive) : "it is not valid";
            default -> failed.status().toString();
        };
        return words(failed, detail);
    }

    /** Of those that may have ended the connection, the first that this side does not allow; null if it allows all. */
    Verdict judge(Suspects suspects) {
        for (int i = 0; i < suspects.all().size(); i++) {
            FailedRequest request = suspects.all().get(i).request();
            if (request.opcode() == Opcode.SEND) {
                String misfit = receives.misfit(suspects.all().get(i).messageNumber(), request.byteSize());
                if (misfit != null) {
                    return new Verdict(suspects.queuePair(), i, CompletionStatus.REMOTE_INVALID_REQUEST,
                            words(request, misfit));
                }
            } else if (request.byteSize() > 0) {
                String refusal = refusal(request);
                if (refusal != null) {
                    return new Verdict(suspects.queuePair(), i, CompletionStatus.REMOTE_ACCESS_ERROR,
                            words(request, refusal));
                }
            }
        }
        return null;
    }

    private String words(FailedRequest request, String detail) {
        return request.describe() + " to " + fabric.localName() + ": " + detail;
    }

    /** Why the memory it names may not be accessed so, or null. */
    private String refusal(FailedRequest request) {
        VerbsRegion region = fabric.region(Integer.toUnsignedLong(request.rkey()));
        if (region == null) {
            return "there is no region with that rkey, or it is closed";
        }
        int right = switch (request.opcode()) {
            case READ -> Rights.REMOTE_READ;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> Rights.REMOTE_ATOMIC;
            default -> Rights.REMOTE_WRITE;
        };
        return region.refusal(request.remoteAddress() - region.address(), request.byteSize(), right);
    }
}
