package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;

import org.junit.jupiter.api.Test;

/** A fabric that breaks a promise is found out, by traffic at random or by the contract. */
class BrokenPromiseTest {
    private static final int SEEDS = 300;

    /** Of so many random runs at least one must find it; each run finds nothing while the promise is kept ({@link TrafficTest}). */
    private static void assertFound(Conduct broken, String how) {
        AssertionError found = assertThrows(AssertionError.class, () -> {
            for (long seed = 1; seed <= SEEDS; seed++) {
                Traffic.run(seed, FaultPlan.random(seed), broken);
            }
        });
        assertTrue(found.getMessage().contains(how), found.getMessage());
    }

    @Test
    void theFlagBeforeThePayload() {
        assertFound(new Conduct() {
            @Override
            boolean isTailLast() {
                return false;
            }
        }, "area: word");
    }

    @Test
    void aRequestOutOfItsTurn() {
        assertFound(new Conduct() {
            @Override
            boolean isInTurn() {
                return false;
            }
        }, ": ");
    }

    @Test
    void aCompletionBeforeTheData() {
        assertFound(new Conduct() {
            @Override
            boolean completesWhenLanded() {
                return false;
            }
        }, ": word");
    }

    @Test
    void aMessageThatIsReceivedBeforeItIsThere() {
        assertFound(new Conduct() {
            @Override
            boolean arrivesWhenLanded() {
                return false;
            }
        }, ": word");
    }

    @Test
    void aCompletionTwice() {
        assertFound(new Conduct() {
            @Override
            int deliveries() {
                return 2;
            }
        }, "which is not outstanding");
    }

    @Test
    void aCompletionThatIsLost() {
        assertFound(new Conduct() {
            @Override
            int deliveries() {
                return 0;
            }
        }, "hangs");
    }

    @Test
    void aFailureThatGivesNothingBack() {
        assertFound(new Conduct() {
            @Override
            boolean flushes() {
                return false;
            }
        }, "hangs");
    }

    @Test
    void aFailedQueuePairThatWorksOn() {
        assertFound(new Conduct() {
            @Override
            boolean stopsWhenFailed() {
                return false;
            }
        }, ": word");
    }

    @Test
    void aMessageWithoutItsEnd() {
        assertFound(new Conduct() {
            @Override
            long missing() {
                return 1;
            }
        }, ": word 7");
    }

    @Test
    void aLossThatNobodyIsToldOf() {
        assertFound(new Conduct() {
            @Override
            int lossNotices() {
                return 0;
            }
        }, "nobody was told");
    }

    @Test
    void aLossThatIsToldOfTwice() {
        assertFound(new Conduct() {
            @Override
            int lossNotices() {
                return 2;
            }
        }, "lost twice");
    }

    @Test
    void aPeerThatNeverHearsOfAFailure() {
        assertFound(new Conduct() {
            @Override
            boolean tellsPeerOfFailure() {
                return false;
            }
        }, "hangs");
    }

    @Test
    void aQueuePairThatStays() {
        assertFound(new Conduct() {
            @Override
            boolean releases() {
                return false;
            }
        }, "still has");
    }

    @Test
    void anAccessWithoutItsRight() {
        Conduct broken = new Conduct() {
            @Override
            boolean checksAccess() {
                return false;
            }
        };
        assertContractFinds("eachMissingRightIsRefused", broken);
        assertContractFinds("whatThePeerDoesNotLetIsRefusedAndNothingFails", broken);
    }

    @Test
    void aWordThatNobodyIsToldOf() {
        assertContractFinds("theNextPollTellsOfAnyWordIfItIsToLook", new Conduct() {
            @Override
            boolean wakesForPuts() {
                return false;
            }
        });
    }

    private static void assertContractFinds(String name, Conduct broken) {
        Method test = ContractRun.tests().stream().filter(each -> each.getName().equals(name)).findFirst()
                .orElseThrow();
        ContractRun.run(test, new Simulation(1, FaultPlan.NONE));
        assertThrows(AssertionError.class,
                () -> ContractRun.run(test, new Simulation(1, FaultPlan.NONE, broken)));
    }
}
