package dev.verbena.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AllocationTracerTest {
    private final AllocationTracer tracer = new AllocationTracer(true);
    private final AllocationSite a = tracer.sitesOf("a").at(0);
    private final AllocationSite b = tracer.sitesOf("b").at(1);

    @Test
    void theSiteOfASentAddressIsRegisteredFromTheNextIterationOn() {
        tracer.beginIteration(true);
        tracer.allocated(a, 100);
        tracer.allocated(b, 200);
        tracer.sent(100);
        assertFalse(a.isRegistered());
        tracer.endIteration();
        assertTrue(a.isRegistered());
        assertFalse(b.isRegistered());
        assertEquals(2, tracer.sitesSeen());
        assertEquals(1, tracer.sitesRegistered());
    }

    @Test
    void theNewestSiteOfAnAddressWins() {
        tracer.beginIteration(true);
        tracer.allocated(a, 100);
        tracer.allocated(b, 100);
        tracer.sent(100);
        tracer.endIteration();
        assertFalse(a.isRegistered());
        assertTrue(b.isRegistered());
    }

    @Test
    void aReuseLeadsBackToTheAllocation() {
        tracer.beginIteration(true);
        tracer.allocated(a, 100);
        tracer.reused(b, 100);
        tracer.sent(100);
        tracer.endIteration();
        assertTrue(a.isRegistered());
        assertTrue(b.isRegistered());
        assertEquals(1, tracer.sitesRegistered(), "a site that only reused is not an allocation site");
        assertEquals(1, tracer.sitesSeen());
    }

    @Test
    void unknownAddressesSayNothing() {
        tracer.beginIteration(true);
        tracer.sent(100);
        tracer.reused(b, 100);
        tracer.endIteration();
        assertFalse(b.isRegistered());
    }

    @Test
    void onlyFirstIterationsAreTraced() {
        tracer.beginIteration(false);
        tracer.allocated(a, 100);
        tracer.sent(100);
        tracer.endIteration();
        assertFalse(a.isRegistered());
        assertEquals(0, tracer.sitesSeen());
    }

    @Test
    void aDisabledTracerLearnsNothing() {
        AllocationTracer off = new AllocationTracer(false);
        AllocationSite site = off.sitesOf("a").at(0);
        off.beginIteration(true);
        off.allocated(site, 100);
        off.sent(100);
        off.endIteration();
        assertFalse(site.isRegistered());
    }
}
