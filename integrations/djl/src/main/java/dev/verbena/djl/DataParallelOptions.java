package dev.verbena.djl;

import java.time.Duration;

import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * How processes train together; the same at all of them.
 *
 * @param device fabric and network; name and endpoint follow from the rank
 * @param group how the all-reduce goes
 * @param bucketByteSize gradients are reduced in tensors of about so many bytes, each with several of them
 * @param meetingTimeout how long to wait until all processes are there, then until they are connected, then until all are ready
 * @param stepTimeout how long to wait for the others in a step, which may evaluate meanwhile, or save; of one that has died everybody hears at
 *            once
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record DataParallelOptions(RdmaDeviceOptions device, GroupOptions group, long bucketByteSize,
        Duration meetingTimeout, Duration stepTimeout) {
    /** Throws {@link IllegalArgumentException} if bucketByteSize is below 1, or a timeout is not positive. */
    public DataParallelOptions {
        if (bucketByteSize < 1) {
            throw new IllegalArgumentException("bucketByteSize=" + bucketByteSize + "; give at least 1");
        }
        if (!meetingTimeout.isPositive() || !stepTimeout.isPositive()) {
            throw new IllegalArgumentException("meetingTimeout=" + meetingTimeout + " stepTimeout=" + stepTimeout
                    + "; give more than nothing");
        }
    }

    /** {@link RdmaDeviceOptions#defaults()}, {@link GroupOptions#defaults()}, 25 MiB, five minutes to meet and ten for a step. */
    public static DataParallelOptions defaults() {
        return new DataParallelOptions(RdmaDeviceOptions.defaults(), GroupOptions.defaults(), 25L << 20,
                Duration.ofMinutes(5), Duration.ofMinutes(10));
    }

    /** Fabric, network and threads; its name and endpoint follow from the rank. {@link RdmaDeviceOptions#defaults()} unless set. */
    public DataParallelOptions withDevice(RdmaDeviceOptions device) {
        return new DataParallelOptions(device, group, bucketByteSize, meetingTimeout, stepTimeout);
    }

    /** Chunks of the all-reduce, the same at all processes; {@link GroupOptions#defaults()} unless set. */
    public DataParallelOptions withGroup(GroupOptions group) {
        return new DataParallelOptions(device, group, bucketByteSize, meetingTimeout, stepTimeout);
    }

    /** Bytes of gradients that are reduced as one tensor, 1 or more; 25 MiB unless set. A larger parameter has one for itself. */
    public DataParallelOptions withBucketByteSize(long bucketByteSize) {
        return new DataParallelOptions(device, group, bucketByteSize, meetingTimeout, stepTimeout);
    }

    /** How long joining waits for all processes before it fails, more than zero; five minutes unless set. */
    public DataParallelOptions withMeetingTimeout(Duration meetingTimeout) {
        return new DataParallelOptions(device, group, bucketByteSize, meetingTimeout, stepTimeout);
    }

    /** How long a step, a mean or a barrier waits for the others, more than zero; ten minutes unless set. One that dies is noticed at once. */
    public DataParallelOptions withStepTimeout(Duration stepTimeout) {
        return new DataParallelOptions(device, group, bucketByteSize, meetingTimeout, stepTimeout);
    }
}
