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
 *   ControlLoop   ◄───────────── TCP: handshake, then only its end ─────────────►  ControlLoop
 * </pre>
 *
 * <p>Shared files are the kernel's own, sealed against a change of size, or made with {@code O_TMPFILE} where the environment
 * variable {@code VERBENA_SHM_DIR} says; they never have a name; a peer maps them through {@code /proc/PID/fd/FD}, for which it must run
 * as the same user in the same PID namespace. What a process holds is gone with it, whatever ends it.
 *
 * <p>{@code Libc} is the only class that calls native code.
 */
package dev.verbena.transfer.fabric.shm;
