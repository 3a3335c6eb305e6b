package org.habitline.staff.safety;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Shows moments to the staff of an incident: on the participant's clock, and on the clock of staff
 * in brackets where it shows another time. Each has its weekday.
 *
 * @param theirs the participant's time zone
 * @param ours the time zone in which staff work
 */
record IncidentTimes(ZoneId theirs, ZoneId ours) {

  private static final DateTimeFormatter WITH_DATE =
      DateTimeFormatter.ofPattern("EEE d MMM uuuu, HH:mm", Locale.ENGLISH);
  private static final DateTimeFormatter WITH_DAY =
      DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ENGLISH);

  /** Returns a moment, or an empty string for {@code null}. */
  String at(@Nullable Instant at) {
    if (at == null) {
      return "";
    }
    return differ(at) ? theirs(at) + " (" + ours(at) + ")" : theirs(at);
  }

  /** Returns a moment on the participant's clock. */
  String theirs(Instant at) {
    return WITH_DATE.format(at.atZone(theirs));
  }

  /** Returns a moment on the clock of staff, with the place. */
  String ours(Instant at) {
    return WITH_DAY.format(at.atZone(ours)) + " " + place();
  }

  /** Returns whether the two clocks show different times at this moment. */
  boolean differ(Instant at) {
    return !theirs.getRules().getOffset(at).equals(ours.getRules().getOffset(at));
  }

  /** Returns the place of the time zone of staff, such as "Berlin" or "UTC". */
  private String place() {
    var name = ours.getId();
    return name.substring(name.lastIndexOf('/') + 1).replace('_', ' ');
  }
}
