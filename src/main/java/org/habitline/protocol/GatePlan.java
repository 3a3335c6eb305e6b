package org.habitline.protocol;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.config.Section;

/**
 * Which gates a study uses: the section {@code gates} of {@code config/study.yaml}. All are on
 * unless the file switches them off.
 *
 * @param on the gates in use
 */
public record GatePlan(Set<ReplyGate> on) {

  public GatePlan {
    on = Set.copyOf(on);
  }

  /** Returns the plan of a study that says nothing about gates. */
  public static GatePlan all() {
    return new GatePlan(EnumSet.allOf(ReplyGate.class));
  }

  static GatePlan read(Section gates) {
    gates.only(Arrays.stream(ReplyGate.values()).map(ReplyGate::word).toArray(String[]::new));
    return new GatePlan(
        Stream.of(ReplyGate.values())
            .filter(gate -> gates.on(gate.word(), true))
            .collect(Collectors.toUnmodifiableSet()));
  }

  public boolean isOn(ReplyGate gate) {
    return on.contains(gate);
  }

  /** Returns the gates that are switched off, in a fixed order. */
  public List<ReplyGate> off() {
    return Stream.of(ReplyGate.values()).filter(gate -> !isOn(gate)).toList();
  }
}
