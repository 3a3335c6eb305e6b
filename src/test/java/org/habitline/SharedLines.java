package org.habitline;

import java.lang.reflect.Parameter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Lends each package of tests one {@link RestLine} with the usual settings. A class takes it as a
 * parameter of a method with {@code @BeforeAll} and does not close it:
 *
 * <pre>{@code
 * @BeforeAll
 * static void start(RestLine shared) {
 *   line = shared;
 * }
 * }</pre>
 *
 * Classes that share a line run at the same time. So their tests enrol participants of their own,
 * and say nothing about those of others. Tests that move the clock, or change what belongs to the
 * study, start a line for their class.
 *
 * <p>This is also the order of the classes: those with {@code @Order} come first, because they take
 * longest. The line of a package stops with the last class of the package that takes it.
 */
public final class SharedLines implements ClassOrderer, ParameterResolver, AfterAllCallback {

  private static final Namespace LINES = Namespace.create(SharedLines.class);

  /** How many classes of a package have yet to end. */
  private static final Map<String, AtomicInteger> LEFT = new ConcurrentHashMap<>();

  private final ClassOrderer longestFirst = new ClassOrderer.OrderAnnotation();

  @Override
  public void orderClasses(ClassOrdererContext context) {
    longestFirst.orderClasses(context);
    context.getClassDescriptors().stream()
        .map(ClassDescriptor::getTestClass)
        .filter(SharedLines::shares)
        .forEach(it ->
            LEFT.computeIfAbsent(it.getPackageName(), its -> new AtomicInteger())
                .incrementAndGet());
  }

  private static boolean shares(Class<?> test) {
    return Stream.of(test.getDeclaredMethods())
        .flatMap(method -> Stream.of(method.getParameters()))
        .anyMatch(SharedLines::isShared);
  }

  private static boolean isShared(Parameter parameter) {
    return parameter.getType() == RestLine.class
        && parameter.getDeclaringExecutable().isAnnotationPresent(BeforeAll.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return isShared(parameter.getParameter());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var test = context.getRequiredTestClass();
    return context
        .getRoot()
        .getStore(LINES)
        .getOrComputeIfAbsent(test.getPackageName(), it -> RestLine.start(test), RestLine.class);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    var test = context.getRequiredTestClass();
    var left = LEFT.get(test.getPackageName());
    if (left != null && shares(test) && left.decrementAndGet() == 0) {
      // What is left at the end of the run, because a class was left out, is closed by JUnit.
      Optional.ofNullable(
              context.getRoot().getStore(LINES).remove(test.getPackageName(), RestLine.class))
          .ifPresent(RestLine::close);
    }
  }
}
