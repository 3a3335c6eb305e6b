package org.habitline.staff;

/**
 * The simulated phone of one participant.
 *
 * @param simulated whether they have one
 * @param zone the participant's own, in which times are shown
 * @param textId makes sending the same text twice harmless
 * @param complaint why the last form was not accepted, or empty
 */
public record SimulatorPage(
    PageFrame frame,
    String id,
    String name,
    String phoneNumber,
    String channel,
    boolean simulated,
    String zone,
    boolean zoneAssumed,
    ParticipantPage.Phone phone,
    String textId,
    String complaint) {}
