/**
 * Queue pairs connected through rdma_cm. Knows neither fabrics nor handshakes: it gets queue pairs, addresses and tokens.
 *
 * <p><b>Owner:</b> the verbs fabric. <b>Threading:</b> each type says.
 */
package dev.verbena.transfer.fabric.verbs.cm;
