package org.habitline.audit;

import org.jspecify.annotations.Nullable;

/**
 * An action of a staff member or an API key.
 *
 * @param actor the name of the key or session, never a secret
 * @param action the stored word of an {@link AuditAction}
 * @param subject what the action was about, if not a participant
 */
public record AuditEntry(
    String actor,
    String role,
    String action,
    @Nullable String participantId,
    @Nullable String subject,
    @Nullable String oldValue,
    @Nullable String newValue,
    @Nullable String reason) {

  public static AuditEntry of(String actor, String role, AuditAction action) {
    return new AuditEntry(actor, role, action.word(), null, null, null, null, null);
  }

  public AuditEntry to(String participant) {
    return new AuditEntry(actor, role, action, participant, subject, oldValue, newValue, reason);
  }

  public AuditEntry about(String what) {
    return new AuditEntry(actor, role, action, participantId, what, oldValue, newValue, reason);
  }

  public AuditEntry changed(@Nullable String before, @Nullable String after) {
    return new AuditEntry(actor, role, action, participantId, subject, before, after, reason);
  }

  public AuditEntry because(@Nullable String why) {
    return new AuditEntry(actor, role, action, participantId, subject, oldValue, newValue, why);
  }
}
