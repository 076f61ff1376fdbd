/**
 * What turns the fabric's wheels, whoever's thread it is: protocols are programs of the engine. It knows the fabric's contract and
 * nothing of tensors.
 */
package dev.verbena.transfer.engine;
