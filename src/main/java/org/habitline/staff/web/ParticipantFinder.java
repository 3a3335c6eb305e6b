package org.habitline.staff.web;

import io.micronaut.security.authentication.Authentication;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds participants by words that staff type; {@code staff.people} does it. */
public interface ParticipantFinder {

  /**
   * Returns the ids of participants, newest first, whose name, study id, tag, id or number matches;
   * blank words match nobody. A search by a number is recorded in the audit log.
   *
   * @throws ApiProblem 400 for words that are not accepted
   */
  List<String> ids(Authentication by, @Nullable String words, int most);
}
