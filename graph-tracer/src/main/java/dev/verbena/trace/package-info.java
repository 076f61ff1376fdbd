/**
 * Finds out which allocations of a program are going to be sent, so that they can be born in registered memory (EuroSys'19 §3.4, "Decide
 * tensor allocation site"), for any runtime: nothing here knows graphs, tensors or networks. {@code docs/guide/tracer.md} has an example.
 *
 * <pre>
 *   the runtime ──► Tracer ──► CallCursor, NodeCursor   which site is the next allocation's
 *        │            ├──────► AddressMap ──► Lineage   whose storage lies at an address
 *        └► TracedNode┘        Budget                   what of the sites sent gets registered memory
 *                              TraceFile                what was learned, for the next start
 * </pre>
 */
package dev.verbena.trace;
