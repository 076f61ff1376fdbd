package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The ends of objects: after them, and before what depends on them. */
@Needs(Need.SHARED_RECEIVE_QUEUES)
class LifecycleOnDevice {
    private final DeviceContext context = DeviceContext.open(TestDevice.name());
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final MemoryRegion region = domain.allocate(4096, Set.of());
    private final CompletionChannel channel = context.createCompletionChannel();
    private final CompletionQueue queue = context.createCompletionQueue(16, channel, 0);
    private final SharedReceiveQueue shared = domain.createSharedReceiveQueue(16, 1);
    private final QueuePairOptions options = QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue);
    private final QueuePair queuePair = domain.createQueuePair(options.withSharedReceiveQueue(shared));
    private final List<VerbsObject> inOrder = List.of(queuePair, shared, queue, channel, region, domain, context);
    private final SendRequests sends = new SendRequests(1, 1);
    private final ReceiveRequests receives = new ReceiveRequests(1, 1);

    @BeforeEach
    void fillIn() {
        sends.get(0).send(1);
        receives.get(0).receive(1);
    }

    @AfterEach
    void close() {
        inOrder.forEach(VerbsObject::close);
    }

    @Test
    @Needs(Need.COMPLETION_QUEUE_RESIZING)
    void whatOthersDependOnDoesNotCloseAndSaysWhatIsOpen() {
        refuse(context, domain, channel, queue);
        refuse(domain, region, shared, queuePair);
        refuse(channel, queue);
        refuse(queue, queuePair);
        refuse(shared, queuePair);
        queuePair.close();
        refuse(domain, region, shared);
        shared.close();
        refuse(context, domain, channel, queue);
        assertEquals(List.of(), inOrder.stream().filter(VerbsObject::isOpen)
                .filter(each -> each == queuePair || each == shared).toList());
        context.query();
        queue.resize(32);
    }

    @Test
    void eachUseOfAClosedObjectIsRefusedByName() {
        close();
        use(context, context::query, context::allocateProtectionDomain, context::createCompletionChannel,
                () -> context.createCompletionQueue(1));
        use(channel, () -> channel.await(0), channel::wake);
        use(queue, () -> queue.poll(new WorkCompletions(1)), () -> queue.requestNotification(false),
                () -> queue.resize(1), queue::capacity);
        use(domain, () -> domain.allocate(1, Set.of()), () -> domain.createSharedReceiveQueue(1, 1),
                () -> domain.createQueuePair(options));
        use(shared, () -> shared.post(receives, 0, 1), () -> shared.limit(1));
        use(queuePair, () -> queuePair.post(sends, 0, 1), () -> queuePair.post(receives, 0, 1), queuePair::query,
                () -> queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR)));
        use(region, () -> sends.get(0).element(region, 0, 1), () -> receives.get(0).element(region, 0, 1));
    }

    @Test
    void closingTwiceIsClosingOnce() {
        close();
        close();
        assertEquals(List.of(), inOrder.stream().filter(VerbsObject::isOpen).toList());
    }

    @Test
    void aQueuePairIsNotMadeWithWhatIsClosed() {
        CompletionQueue closedQueue = context.createCompletionQueue(1);
        closedQueue.close();
        use(closedQueue, () -> domain.createQueuePair(options.withCompletionQueues(queue, closedQueue)),
                () -> domain.createQueuePair(options.withCompletionQueues(closedQueue, queue)));
        SharedReceiveQueue closedShared = domain.createSharedReceiveQueue(1, 1);
        closedShared.close();
        use(closedShared, () -> domain.createQueuePair(options.withSharedReceiveQueue(closedShared)));
    }

    @Test
    void objectsOfAnotherOpeningOfTheDeviceAreForeign() {
        try (DeviceContext elsewhere = DeviceContext.open(context.name());
                ProtectionDomain foreignDomain = elsewhere.allocateProtectionDomain();
                CompletionChannel foreignChannel = elsewhere.createCompletionChannel();
                CompletionQueue foreignQueue = elsewhere.createCompletionQueue(1);
                SharedReceiveQueue foreignShared = foreignDomain.createSharedReceiveQueue(1, 1)) {
            foreign(() -> context.createCompletionQueue(1, foreignChannel, 0));
            foreign(() -> domain.createQueuePair(options.withCompletionQueues(queue, foreignQueue)));
            foreign(() -> domain.createQueuePair(options.withCompletionQueues(foreignQueue, queue)));
            foreign(() -> domain.createQueuePair(options.withSharedReceiveQueue(foreignShared)));
            foreign(() -> foreignDomain.createQueuePair(options));
        }
    }

    @Test
    void aDeviceThatDoesNotExist() {
        VerbsException refused = assertThrows(VerbsException.class, () -> DeviceContext.open("nosuch0"));
        assertTrue(refused.getMessage().contains("device=nosuch0"), refused.getMessage());
    }

    private static void refuse(VerbsObject object, VerbsObject... open) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, object::close);
        assertTrue(refused.getMessage().startsWith(object + " cannot be closed: still open are " + List.of(open)),
                refused.getMessage());
        assertTrue(object.isOpen());
    }

    private static void use(VerbsObject object, Executable... uses) {
        assertFalse(object.isOpen());
        for (Executable use : uses) {
            IllegalStateException refused = assertThrows(IllegalStateException.class, use);
            assertTrue(refused.getMessage().startsWith(object + " is closed"), refused.getMessage());
        }
    }

    private static void foreign(Executable use) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, use);
        assertTrue(refused.getMessage().contains("belongs to another opening of a device"), refused.getMessage());
    }
}
