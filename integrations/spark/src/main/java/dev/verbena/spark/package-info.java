/** Barrier stages of Apache Spark as groups of devices. */
package dev.verbena.spark;
