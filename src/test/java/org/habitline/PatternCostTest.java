package org.habitline;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.messaging.inbox.ConsentKeywords;
import org.habitline.protocol.GatePlan;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.rules.CrisisRules;
import org.junit.jupiter.api.Test;

/**
 * No pattern takes much longer for each character of a long text than for each of a short one,
 * whoever wrote it, and none exhausts the stack. The cost is counted in characters read.
 */
final class PatternCostTest {

  private static final int SHORT = 1_000;
  private static final int LONG = 10_000;
  private static final int MOST_TIMES = 15;

  private static final Path NO_HOME = Path.of("target", "no-home");

  /** Patterns that read nothing that a stranger, a model or a file wrote, and why. */
  private static final Map<String, String> OF_OUR_OWN_WORDS =
      Map.of("ops.database.H2WriteLock.FOR_UPDATE", "reads the SQL of the code");

  @Test
  void aTextTenTimesAsLongCostsEveryPatternAtMostFifteenTimesAsMuch() throws Exception {
    var patterns = new Holders();
    for (var type : mainClasses()) {
      patterns.ofStaticFields(type);
    }
    patterns.in("keywords", ConsentKeywords.read(NO_HOME));
    patterns.in("gates", ReplyGates.of(NO_HOME, GatePlan.all()));
    patterns.in("rules", CrisisRules.of(NO_HOME));
    var costly = new TreeMap<String, String>();
    patterns.found.forEach(
        (name, pattern) -> costly(pattern).ifPresent(text -> costly.put(name, text)));
    assertThat(patterns.found).hasSizeGreaterThan(250);
    assertThat(costly)
        .as("patterns and their costly texts")
        .containsOnlyKeys(OF_OUR_OWN_WORDS.keySet());
  }

  /** Returns for which text a pattern costs too much, or empty if it does for none. */
  private static Optional<String> costly(Pattern pattern) {
    return texts().entrySet().stream()
        .filter(text -> costsTooMuch(pattern, text.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Returns each kind of character alone, and in turn with each other kind. */
  private static Map<String, String> texts() {
    var texts = new TreeMap<String, String>();
    CountingText.KINDS.forEach((one, sign) ->
        CountingText.KINDS
            .tailMap(one)
            .forEach((other, next) -> texts.put(one + ", " + other, sign + next)));
    return texts;
  }

  private static boolean costsTooMuch(Pattern pattern, String kind) {
    try {
      var cost = cost(pattern, repeated(kind, SHORT), Long.MAX_VALUE);
      cost(pattern, repeated(kind, LONG), cost * MOST_TIMES);
      return false;
    } catch (CountingText.TooOften e) {
      return true;
    }
  }

  private static String repeated(String kind, int length) {
    return kind.repeat(length / kind.length());
  }

  private static long cost(Pattern pattern, String text, long most) {
    var read = new CountingText(text, most);
    var matcher = pattern.matcher(read);
    while (matcher.find()) {
      // To the end of the text.
    }
    matcher.matches();
    return read.reads();
  }

  /** Returns the classes of the product, generated ones too. */
  private static List<Class<?>> mainClasses() throws Exception {
    var root = Path.of(Habitline.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var classes = new ArrayList<Class<?>>();
    try (var files = Files.walk(root)) {
      for (var file : (Iterable<Path>) files::iterator) {
        var name = root.relativize(file).toString().replace('/', '.').replace('\\', '.');
        if (name.startsWith("org.habitline.") && name.endsWith(".class")) {
          classes.add(Class.forName(name.substring(0, name.length() - ".class".length())));
        }
      }
    }
    return classes;
  }

  /** Collects patterns by the class and field that hold them. */
  private static final class Holders {

    final Map<String, Pattern> found = new TreeMap<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    void ofStaticFields(Class<?> type) throws IllegalAccessException {
      for (var field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          field.setAccessible(true);
          in(name(type, field.getName()), field.get(null));
        }
      }
    }

    /** Adds a value if it is a pattern, and the patterns that it holds. */
    void in(String name, Object value) {
      if (value == null || !(value instanceof Pattern || seen.add(value))) {
        return;
      }
      switch (value) {
        case Pattern pattern -> add(name, pattern);
        case Collection<?> all -> all.forEach(it -> in(name, it));
        case Map<?, ?> all -> {
          all.keySet().forEach(it -> in(name, it));
          all.values().forEach(it -> in(name, it));
        }
        case Optional<?> one -> one.ifPresent(it -> in(name, it));
        case Object[] all -> Stream.of(all).forEach(it -> in(name, it));
        default -> {
          for (Class<?> type = value.getClass();
              type != null && type.getName().startsWith("org.habitline.");
              type = type.getSuperclass()) {
            inFields(type, value);
          }
        }
      }
    }

    private void inFields(Class<?> type, Object value) {
      for (var field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !field.getType().isPrimitive()
            && !type.isHidden()) {
          field.setAccessible(true);
          try {
            in(name(type, field.getName()), field.get(value));
          } catch (IllegalAccessException e) {
            throw new AssertionError(e);
          }
        }
      }
    }

    private void add(String name, Pattern pattern) {
      var free = name;
      for (int i = 2; found.containsKey(free) && !same(found.get(free), pattern); i++) {
        free = name + " " + i;
      }
      found.put(free, pattern);
    }

    private static boolean same(Pattern one, Pattern other) {
      return one.pattern().equals(other.pattern()) && one.flags() == other.flags();
    }

    private static String name(Class<?> type, String field) {
      return type.getName().substring("org.habitline.".length()) + "." + field;
    }
  }
}
