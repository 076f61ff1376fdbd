package dev.verbena.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.concurrent.locks.LockSupport;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;

import dev.verbena.transfer.TransferException;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/** A function of Java as Spark's barrier stages, for which it has no Java API, take it. */
final class BarrierFunction<T, R> extends AbstractFunction1<scala.collection.Iterator<T>, scala.collection.Iterator<R>>
        implements
            Serializable {
    private static final long serialVersionUID = 1;
    /** Spark fails the job with what it hears of first: let that be why a task has failed, and not that its peers miss it. */
    private static final long PRECEDENCE_NS = 2_000_000_000L;

    private final FlatMapFunction<Iterator<T>, R> task;

    private BarrierFunction(FlatMapFunction<Iterator<T>, R> task) {
        this.task = task;
    }

    static <T, R> JavaRDD<R> mapPartitions(JavaRDD<T> rdd, FlatMapFunction<Iterator<T>, R> task) {
        ClassTag<R> type = ClassTag$.MODULE$.apply(Object.class); // As Spark's own Java API has it.
        return JavaRDD.fromRDD(rdd.rdd().barrier().mapPartitions(new BarrierFunction<>(task), false, type), type);
    }

    @Override
    public scala.collection.Iterator<R> apply(scala.collection.Iterator<T> partition) {
        try {
            return CollectionConverters.asScala(task.call(CollectionConverters.asJava(partition)));
        } catch (TransferException e) {
            LockSupport.parkNanos(PRECEDENCE_NS); // Less if Spark ends this one meanwhile.
            throw e;
        } catch (Exception e) {
            throw BarrierFunction.<RuntimeException>unchecked(e);
        }
    }

    /** Scala knows no checked exceptions: Spark expects them as they are. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E unchecked(Exception cause) throws E {
        throw (E) cause;
    }
}
