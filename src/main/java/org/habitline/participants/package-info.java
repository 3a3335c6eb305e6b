/**
 * Participants: enrolment, status, time zone, consent, opt-outs and erasure. Uses only the storage
 * package.
 *
 * <p>{@code Participants} makes every change, in one transaction with what other packages keep
 * about the participant: each of them implements {@code ParticipantListener} and is told within
 * that transaction. {@code Participant} is the person as read.
 *
 * <p>Read {@code Participants}, {@code ParticipantListener} and {@code Erasures} first. An erasure
 * has several steps and survives a crash; {@code Suppressed} and {@code ErasedSenders} keep only a
 * hash of the numbers and names of people who were erased, so that an opt-out still counts.
 *
 * <p>Two people never have one number: the address is locked before a participant is written.
 * Methods return neither contacts (people whom a script messaged) nor people who are being erased,
 * unless their names say so. Nothing here sends a message, and listeners only write to the
 * database, so that an exception undoes the whole change.
 */
@NullMarked
package org.habitline.participants;

import org.jspecify.annotations.NullMarked;
