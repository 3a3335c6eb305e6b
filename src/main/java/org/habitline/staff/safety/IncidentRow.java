package org.habitline.staff.safety;

/**
 * One incident in a list, without words of the participant.
 *
 * @param name the participant, or who they are if they have no name
 * @param level "Crisis", "Urgent", "Concern" or "Age check"
 * @param kind what it is about, in words
 * @param at RFC 3339 time at which it opened
 * @param since how long ago it opened, in words
 * @param status how far staff are, in words
 * @param open how it is shown while no one has acknowledged it: "failed" if somebody may be in
 *     danger, "pressing" if it is an urgent flag, otherwise empty
 * @param news that a text came after the acknowledgement, in words, or empty
 */
public record IncidentRow(
    String id,
    String name,
    String level,
    String kind,
    String at,
    String since,
    String status,
    String open,
    String news) {}
