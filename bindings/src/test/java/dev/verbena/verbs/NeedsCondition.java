package dev.verbena.verbs;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Skips a class before anything of it is made, and a test when it would begin: by then JUnit has made its instance, whose
 * objects only a test that runs to its end closes.
 *
 * <p><b>Threading:</b> thread-safe.
 */
final class NeedsCondition implements ExecutionCondition, InvocationInterceptor {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String lacking = context.getTestMethod().isPresent() ? "" : lacking(context.getRequiredTestClass());
        return lacking.isEmpty() ? ConditionEvaluationResult.enabled(null)
                : ConditionEvaluationResult.disabled(lacking);
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context) throws Throwable {
        proceed(invocation, invocationContext.getExecutable());
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context) throws Throwable {
        proceed(invocation, invocationContext.getExecutable());
    }

    private static void proceed(Invocation<Void> invocation, Method test) throws Throwable {
        String lacking = lacking(test);
        if (lacking.isEmpty()) {
            invocation.proceed();
        } else {
            throw new TestAbortedException(lacking);
        }
    }

    /** Empty where it lacks nothing. */
    private static String lacking(AnnotatedElement test) {
        return AnnotationSupport.findAnnotation(test, Needs.class).map(needs -> TestDevice.lacking(needs.value()))
                .orElse("");
    }

    /** In words, empty for none. */
    static String describe(String device, List<Need> lacking) {
        return lacking.isEmpty() ? ""
                : Stream.concat(Stream.of("skipped: device=" + device), lacking.stream().map(Need::toString))
                        .collect(Collectors.joining("; "));
    }
}
