package dev.verbena.transfer.spi;

/**
 * What a fabric can import; see {@link Capabilities#imports}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Importable {
    /** Any host memory, without rights: writes and sends are made from it, and nobody writes into it or reaches it from elsewhere. */
    SOURCE,
    /** Host memory that maps a file, shared ({@code FileChannel.map} with {@code READ_WRITE}, of a tmpfs), with all rights. */
    MAPPED_FILE,
    /** Any host memory, with all rights. */
    HOST_MEMORY,
    /** A dma-buf, with all rights. */
    DMA_BUF
}
