package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.exceptions.EmptyResultException;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.habitline.RunningLine;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every statement of the program runs on the database under test: parameters bind, types agree, and
 * the syntax is understood. What the statements find is for other tests.
 */
@Tag("database")
final class EveryQueryTest {

  /** SQLSTATE class: what was inserted breaks a constraint, so the statement ran. */
  private static final String CONSTRAINT = "23";

  private static final Pattern ONLY_POSTGRESQL = Pattern.compile("pg_|FOR NO KEY UPDATE OF");

  private static final Instant SOME_TIME = Instant.parse("2026-11-21T12:00:00Z");

  /** Undoes what a statement did. */
  private static final class Undone extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static List<Class<?>> repositories() throws IOException {
    var sources = Path.of("src", "main", "java");
    try (var files = Files.walk(sources)) {
      return files
          .map(file -> sources.relativize(file).toString())
          .filter(file -> file.matches(".*[/\\\\]Jdbc\\w+\\.java"))
          .map(file -> file.replaceFirst("\\.java$", "").replaceAll("[/\\\\]", "."))
          .<Class<?>>map(EveryQueryTest::type)
          .sorted(Comparator.comparing(Class::getName))
          .toList();
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Object sample(Type type) {
    if (type instanceof ParameterizedType generic) {
      var raw = (Class<?>) generic.getRawType();
      var one = sample(generic.getActualTypeArguments()[0]);
      return raw == Optional.class
          ? Optional.of(one)
          : raw == Set.class ? Set.of(one) : List.of(one);
    }
    var raw = (Class<?>) type;
    if (raw.isEnum()) {
      return raw.getEnumConstants()[0];
    }
    if (raw.isArray()) {
      var one = Array.newInstance(raw.getComponentType(), 1);
      Array.set(
          one, 0, raw == byte[].class ? Byte.valueOf((byte) 1) : sample(raw.getComponentType()));
      return one;
    }
    return switch (raw.getSimpleName()) {
      case "String", "Object" -> "1";
      case "int", "Integer" -> 1;
      case "long", "Long" -> 1L;
      case "boolean", "Boolean" -> true;
      case "double", "Double" -> 1.0;
      case "BigDecimal" -> java.math.BigDecimal.ONE;
      case "Instant" -> SOME_TIME;
      case "LocalDate" -> LocalDate.of(2026, 11, 21);
      case "Duration" -> Duration.ofMinutes(1);
      default -> throw new IllegalStateException("No sample of " + type);
    };
  }

  @Test
  void everyStatementRuns() throws IOException {
    try (var line = RunningLine.in(EveryQueryTest.class).build()) {
      var transactions = line.bean(Transactions.class);
      var failed = new ArrayList<String>();
      var ran = 0;
      for (var type : repositories()) {
        var rows = line.bean(type);
        for (var method : type.getDeclaredMethods()) {
          if (method.isAnnotationPresent(Query.class) && isForThisDatabase(method)) {
            ran++;
            run(rows, method, transactions).ifPresent(failed::add);
          }
        }
      }
      assertThat(failed).as("statements that the database does not carry out").isEmpty();
      assertThat(ran).as("statements that ran").isGreaterThan(300);
    }
  }

  /** Statements on what only PostgreSQL knows run there only. */
  private static boolean isForThisDatabase(Method method) {
    return "postgresql".equals(System.getProperty("habitline.test.database"))
        || !ONLY_POSTGRESQL.matcher(method.getAnnotation(Query.class).value()).find();
  }

  private static Optional<String> run(Object rows, Method method, Transactions transactions) {
    method.setAccessible(true);
    var samples =
        Arrays.stream(method.getGenericParameterTypes()).map(EveryQueryTest::sample).toArray();
    try {
      transactions.write(() -> {
        try {
          method.invoke(rows, samples);
        } catch (InvocationTargetException e) {
          throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(e);
        }
        throw new Undone();
      });
      throw new IllegalStateException("The transaction was not undone");
    } catch (Undone undone) {
      return Optional.empty();
    } catch (RuntimeException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof EmptyResultException
            || (cause instanceof SQLException sql
                && sql.getSQLState() != null
                && sql.getSQLState().startsWith(CONSTRAINT))) {
          return Optional.empty();
        }
      }
      var last = (Throwable) e;
      while (last.getCause() != null) {
        last = last.getCause();
      }
      return Optional.of(
          method.getDeclaringClass().getSimpleName() + "." + method.getName() + ": " + last);
    }
  }
}
