package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sleeping until datagrams have left and come; of connections see {@link CompletionChannelOnDevice}. */
@Needs(Need.UNRELIABLE_DATAGRAMS)
class DatagramEventsOnDevice {
    private static final int ROUNDS = 10;

    private final TestDevice device = new TestDevice();
    private final CompletionChannel channel = device.keep(device.context.createCompletionChannel());
    private final CompletionChannel peerChannel = device.keep(device.context.createCompletionChannel());
    private final CompletionQueue queue = device.keep(device.context.createCompletionQueue(16, channel, 0));
    private final CompletionQueue peerQueue = device.keep(device.context.createCompletionQueue(16, peerChannel, 0));
    private final QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, queue);
    private final QueuePair peer = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, peerQueue);
    private final MemoryRegion region = device.region();

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void eachBringsOneToEachSide() {
        device.connect(pair, peer);
        AddressHandle handle = device.keep(device.domain.createAddressHandle(device.path()));
        SendRequests sends = new SendRequests(1, 1);
        for (int i = 0; i < ROUNDS; i++) {
            queue.requestNotification(false);
            peerQueue.requestNotification(false);
            TestDevice.receive(peer, 31, region, 1024, 512);
            sends.get(0).send(1).element(region, 0, 16).to(handle, peer.number(), TestDevice.QUEUE_KEY).signaled();
            assertEquals(1, pair.post(sends, 0, 1));
            assertSame(queue, channel.await(TestDevice.HANG_NS));
            device.expect(queue, 1, SUCCESS);
            assertSame(peerQueue, peerChannel.await(TestDevice.HANG_NS));
            device.expect(peerQueue, 31, SUCCESS);
        }
    }
}
