/**
 * The fabric between processes of one machine.
 *
 * <pre>
 *   process A                                                   process B
 *   ShmFabric     FabricFile: doorbells                ◄──────── maps, rings
 *                 RegionTable                          ◄──────── maps for reading, looks keys up
 *   ShmMemoryRegion  nameless shared file              ◄──────── RemoteRegions maps it on first use; Initiator copies
 *   ShmConnection LinkFile: farewell, and for each
 *     ShmQueuePair  QueuePairHalf with ReceiveRing     ◄──────── claims receives, publishes arrivals
 *     SendSlots (private)                                        (the same the other way round)
 *   Door          ◄───────────── local socket: descriptors, and who it is ──────►  Knock
 *   ControlLoop   ◄───────────── TCP: handshake, then only its end ─────────────►  ControlLoop
 * </pre>
 *
 * <p>Shared files are the kernel's own, sealed against a change of size, or made with {@code O_TMPFILE} where the environment
 * variable {@code VERBENA_SHM_DIR} says; they never have a name; a peer opens them in the folder {@code /proc/self/fd} of their owner,
 * of which it was handed a descriptor ({@link Door}); it must run as the same user. What a process holds is gone with it, whatever ends it.
 *
 * <p>{@code Libc} and {@code UnixSocket} alone call native code.
 */
package dev.verbena.transfer.fabric.shm;
