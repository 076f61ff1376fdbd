package dev.verbena.transfer;

/**
 * What a device has done so far.
 *
 * @param transfers tensors sent
 * @param transferredByteSize payload bytes of them
 * @param copies tensors that the CPU copied into a staging buffer before sending; what a CPU then writes to the peer, as on {@code shm}, which has
 *            no adapter, is no such copy: {@link TransferStatistics#fabricByteSize} counts it
 * @param copiedByteSize payload bytes of those
 * @param registeredByteSize bytes registered at present
 * @param registrations regions and slabs ever registered
 * @param registrationNs time spent registering
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record DeviceStatistics(long transfers, long transferredByteSize, long copies, long copiedByteSize,
        long registeredByteSize, long registrations, long registrationNs) {
    /** Share of the tensors sent that lay in registered memory, so that they needed neither a registration nor a copy: 0 to 1. */
    public double registeredShare() {
        return transfers == 0 ? 1 : 1 - (double) copies / transfers;
    }
}
