package org.habitline.staff.safety;

/**
 * One incident in a list, without words of the participant.
 *
 * @param name the participant, or who they are if they have no name
 * @param level "Crisis", "Urgent" or "Concern"
 * @param kind what it is about, in words
 * @param at RFC 3339 time at which it opened
 * @param since how long ago it opened, in words
 * @param status how far staff are, in words
 * @param bad whether it alerts staff, and no one has acknowledged it
 */
public record IncidentRow(
    String id,
    String name,
    String level,
    String kind,
    String at,
    String since,
    String status,
    boolean bad) {}
