package dev.verbena.arrow;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ReferenceManager;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowBlock;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowMessage;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.util.DictionaryUtility;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * Writes batches to a {@link VerbenaStreamReader} of a peer, as Arrow's own writer does to a stream, but nobody writes buffers into one:
 * each is told of where it lies, and the peer reads it into memory of its own. The sequence of tensors, ADR 18:
 *
 * <pre>
 *   schema · (meta-data of a dictionary or a batch · its buffers, as far as they have bytes)* · an empty tensor at the end
 * </pre>
 *
 * <p>{@link #writeBatch} returns when the peer has read all, so that its root can be filled again; the peer reads ahead of who loads
 * batches. What fails, or takes longer than the timeout, throws {@link TransferException}, and nothing can be written any more. One that is closed
 * without {@link #end} has said no end: its reader throws.
 *
 * <p>One that lends ({@link #openLending}) gives its batches away: the reader has them where they lie, and {@link #writeBatch} returns when it has been
 * told of it. The root is empty then; its memory is free when the reader's vectors are.
 *
 * <p><b>Owner:</b> who opened it; closes it before the root's allocator and the arena. <b>Threading:</b> confined to its owner.
 */
public final class VerbenaStreamWriter extends ArrowStreamWriter {
    static final String AGREEMENT = "Arrow's batches, 1";

    private final RdmaDevice device;
    private final DynamicTensorSender sender;
    private final TensorArena arena;
    private final Duration timeout;
    private final VectorSchemaRoot root;
    private final DictionaryProvider dictionaries;
    private final Set<Long> dictionaryIds = new HashSet<>();
    private final VectorUnloader lendingUnloader;
    /** Null if batches are read by the peer. */
    private final BatchesOnLoan onLoan;
    /** What Arrow itself writes: the schema. */
    private final ByteArrayOutputStream written;
    private final AtomicInteger unread = new AtomicInteger();
    private final AtomicReference<TransferException> failure = new AtomicReference<>();
    private final SendCallback callback = this::onRead;
    private final SendCallback onReturned = this::onReturned;
    private boolean isClosing;
    private final BooleanSupplier isAllRead = () -> unread.get() == 0 || failure.get() != null;

    private VerbenaStreamWriter(VectorSchemaRoot root, DictionaryProvider dictionaries, ByteArrayOutputStream written,
            RdmaDevice device, DynamicTensorSender sender, TensorArena arena, Duration timeout, BatchesOnLoan onLoan,
            CompressionCodec.Factory compression, CompressionUtil.CodecType codec) {
        super(root, dictionaries, Channels.newChannel(written), IpcOption.DEFAULT, compression, codec);
        this.root = root;
        this.dictionaries = dictionaries;
        root.getSchema().getFields()
                .forEach(field -> DictionaryUtility.toMessageFormat(field, dictionaries, dictionaryIds));
        // Whose nulls nobody counts: that would take longer than lending all else.
        lendingUnloader = new VectorUnloader(root, false, true);
        this.onLoan = onLoan;
        this.written = written;
        this.device = device;
        this.sender = sender;
        this.arena = arena;
        this.timeout = timeout;
    }

    /**
     * One that writes what is in the root.
     *
     * @param dictionaries those of the root's encoded columns; may be null if it has none
     * @param name of the peer's reader
     * @param arena over {@link RdmaDevice#readableSlabSource()} of this device, in which all buffers lie, by
     *            {@link VerbenaAllocationManager}; meta-data is allocated there too
     * @param timeout for finding the reader, and for each batch to be read
     * @throws TransferException if there is no such reader in time
     */
    public static VerbenaStreamWriter open(VectorSchemaRoot root, DictionaryProvider dictionaries, RdmaDevice device,
            Endpoint peer, String name, TensorArena arena, Duration timeout) {
        return over(device.channel(peer, 0).dynamicSender(name, AGREEMENT, timeout), root, dictionaries, device, arena,
                timeout, null, NoCompressionCodec.Factory.INSTANCE, CompressionUtil.CodecType.NO_COMPRESSION);
    }

    /**
     * The same, whose buffers are compressed before they are sent, such as by {@code CommonsCompressionFactory} of {@code arrow-compression}, into the
     * arena; the reader is one of {@link VerbenaStreamReader#openDecompressing}.
     *
     * @throws IllegalArgumentException if the factory does not have that codec
     */
    public static VerbenaStreamWriter openCompressing(VectorSchemaRoot root, DictionaryProvider dictionaries,
            RdmaDevice device, Endpoint peer, String name, TensorArena arena, CompressionCodec.Factory compression,
            CompressionUtil.CodecType codec, Duration timeout) {
        return over(device.channel(peer, 0).dynamicSender(name, AGREEMENT, timeout), root, dictionaries, device, arena,
                timeout, null, compression, codec);
    }

    /**
     * The same, which lends what is in the root to a reader that borrows ({@link VerbenaStreamReader#openBorrowing}); dictionaries, which grow in
     * place, it still copies. Where the fabric maps no memory of peers, {@link #lends}, the reader reads, and all else is the same.
     *
     * @param batchesMax that the reader may have at a time; {@link #writeBatch} waits for one to come back before there are more
     * @param timeout for that too, and when this is closed for all of them
     * @throws TransferException also if the reader does not borrow
     */
    public static VerbenaStreamWriter openLending(VectorSchemaRoot root, DictionaryProvider dictionaries,
            RdmaDevice device, Endpoint peer, String name, TensorArena arena, int batchesMax, Duration timeout) {
        BatchesOnLoan onLoan = new BatchesOnLoan(batchesMax);
        return over(device.channel(peer, 0).lendingSender(name, AGREEMENT, timeout), root, dictionaries, device, arena,
                timeout, onLoan, NoCompressionCodec.Factory.INSTANCE, CompressionUtil.CodecType.NO_COMPRESSION);
    }

    private static VerbenaStreamWriter over(DynamicTensorSender sender, VectorSchemaRoot root,
            DictionaryProvider dictionaries, RdmaDevice device, TensorArena arena, Duration timeout,
            BatchesOnLoan onLoan, CompressionCodec.Factory compression, CompressionUtil.CodecType codec) {
        try {
            return new VerbenaStreamWriter(root, dictionaries, new ByteArrayOutputStream(), device, sender, arena,
                    timeout, onLoan, compression, codec);
        } catch (RuntimeException e) {
            sender.close();
            throw e;
        }
    }

    /** Whether the reader has what is written where it lies. */
    public boolean lends() {
        return sender.lends();
    }

    /** Batches that were lent and of which the reader still has something. */
    public int batchesOnLoan() {
        return onLoan == null ? 0 : onLoan.count();
    }

    /** Of what is in the root; one that lends leaves it empty, {@link VectorSchemaRoot#clear()}, since others read there now. */
    @Override
    public void writeBatch() throws IOException {
        if (onLoan == null) {
            super.writeBatch();
            return;
        }
        start();
        ensureDictionariesWritten(dictionaries, dictionaryIds);
        try (ArrowRecordBatch batch = lendingUnloader.getRecordBatch()) {
            writeRecordBatch(batch);
        }
        root.clear();
    }

    @Override
    protected ArrowBlock writeRecordBatch(ArrowRecordBatch batch) {
        if (onLoan == null) {
            write(batch, batch.getBuffers());
        } else {
            lend(batch);
        }
        return null; // only files ask where it lies
    }

    @Override
    protected ArrowBlock writeDictionaryBatch(ArrowDictionaryBatch batch) {
        write(batch, batch.getDictionary().getBuffers());
        return null;
    }

    @Override
    protected void endInternal(WriteChannel out) {
        // Closing asks for it too, with or without an exception under way: only who says end() means it.
        if (!isClosing) {
            checkUsable();
            writeSchema();
            offerBytes(ByteBuffer.allocate(0));
            awaitAllRead();
        }
    }

    private void lend(ArrowRecordBatch batch) {
        batch.getBuffers().forEach(this::checkRegistered);
        checkUsable();
        if (!await(() -> onLoan.hasRoom() || failure.get() != null)) {
            throw failed("still has " + onLoan.count() + " batches on loan");
        }
        writeSchema();
        BatchesOnLoan.Batch lent = onLoan.begin();
        try {
            ByteBuffer metadata = MessageSerializer.serializeMetadata(batch, option);
            offerAndClose(tensorOf(metadata), true);
            for (ArrowBuf buffer : batch.getBuffers()) {
                if (buffer.readableBytes() > 0) {
                    offerAndClose(tensorOver(buffer, lent), true);
                }
            }
        } finally {
            lent.release();
        }
    }

    private void write(ArrowMessage message, List<ArrowBuf> buffers) {
        writeSchema();
        buffers.forEach(this::checkRegistered);
        offerBytes(MessageSerializer.serializeMetadata(message, option));
        for (ArrowBuf buffer : buffers) {
            if (buffer.readableBytes() > 0) {
                offerAndClose(tensorOver(buffer, null), false);
            }
        }
        awaitAllRead();
    }

    private void writeSchema() {
        if (written.size() > 0) {
            offerBytes(ByteBuffer.wrap(written.toByteArray()));
            written.reset();
        }
    }

    private void checkRegistered(ArrowBuf buffer) {
        if (buffer.readableBytes() > 0) {
            slabOf(buffer);
        }
    }

    private Slab slabOf(ArrowBuf buffer) {
        try {
            return arena.slabAt(buffer.memoryAddress());
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(buffer + " is not sent: it does not lie in the arena of this writer;"
                    + " give the allocator of its vector VerbenaAllocationManager.factory(arena)", e);
        }
    }

    /** As it lies there; the reference is given up when nobody needs it any more. @param lent what it is a part of; null if it is not lent */
    private Tensor tensorOver(ArrowBuf buffer, BatchesOnLoan.Batch lent) {
        Slab slab = slabOf(buffer);
        ReferenceManager references = buffer.getReferenceManager();
        references.retain();
        if (lent != null) {
            lent.retain();
        }
        return Tensor.over(slab, buffer.memoryAddress() - slab.memory().address(), ElementType.UINT8,
                Shape.of(buffer.readableBytes()), () -> {
                    references.release();
                    if (lent != null) {
                        lent.release();
                    }
                });
    }

    private Tensor tensorOf(ByteBuffer bytes) {
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(bytes.remaining()));
        tensor.asByteBuffer().put(bytes);
        return tensor;
    }

    private void offerBytes(ByteBuffer bytes) {
        offerAndClose(tensorOf(bytes), onLoan != null);
    }

    /** It is pinned as long as the peer has not read it, or given it back. */
    private void offerAndClose(Tensor tensor, boolean isLent) {
        try (tensor) {
            checkUsable();
            if (!isLent) {
                unread.incrementAndGet();
            }
            boolean isOffered = false;
            try {
                isOffered = await(() -> (isLent ? sender.lend(tensor, onReturned)
                        : sender.offer(tensor, callback)) == SendResult.SENT);
            } catch (TransferException e) {
                failure.compareAndSet(null, e);
                throw e;
            } finally {
                if (!isOffered && !isLent) {
                    unread.decrementAndGet();
                }
            }
            if (!isOffered) {
                throw failed("has not read the tensors before");
            }
        }
    }

    private void onRead(TransferException cause) {
        onReturned(cause);
        unread.decrementAndGet();
    }

    private void onReturned(TransferException cause) {
        if (cause != null) {
            failure.compareAndSet(null, cause);
        }
    }

    private void awaitAllRead() {
        if (!await(isAllRead)) {
            throw failed("has not read " + unread.get() + " tensors of a batch");
        }
        checkUsable();
    }

    private TransferException failed(String what) {
        failure.compareAndSet(null, new TransferException("peer " + sender.receiverName() + " " + what + " after "
                + timeout + (Thread.currentThread().isInterrupted() ? "; interrupted" : "")));
        return failure.get();
    }

    private void checkUsable() {
        TransferException cause = failure.get();
        if (cause != null) {
            throw new TransferException("a stream that has failed is not written to: " + cause.getMessage(), cause);
        }
    }

    private boolean await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        while (true) {
            long seen = device.activity();
            if (condition.getAsBoolean()) {
                return true;
            }
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            device.awaitActivity(seen, leftNs);
        }
    }

    /**
     * Lets the peer go; the root stays open. What is on loan is waited for. Without {@link #end} before, the reader hears that the stream was cut short.
     *
     * @throws TransferException if not all that was lent has come back in time: the reader gives it back later, or its end does, and until then the
     *             buffers are not free
     */
    @Override
    public void close() {
        isClosing = true;
        try (sender) {
            super.close();
            awaitReturned();
        }
    }

    private void awaitReturned() {
        if (onLoan != null && failure.get() == null && !await(() -> onLoan.count() == 0 || failure.get() != null)) {
            throw new TransferException("peer " + sender.receiverName() + " still has " + onLoan.count()
                    + " batches on loan after " + timeout + "; their memory is free when it closes them, or ends");
        }
    }
}
