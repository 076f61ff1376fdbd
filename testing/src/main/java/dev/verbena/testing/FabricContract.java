package dev.verbena.testing;

/** Interim. */
public abstract class FabricContract {
    protected FabricContract() {}
}
