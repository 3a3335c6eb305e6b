package org.habitline.messaging.twilio;

/** How many SMS segments Twilio counts for a text. */
public final class SegmentCount {

  private static final String GSM =
      "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
          + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

  /** Each of these costs two. */
  private static final String GSM_EXTENSION = "\f^{}\\[~]|€";

  private SegmentCount() {}

  public static int of(String body) {
    return body.codePoints().allMatch(SegmentCount::isGsm)
        ? packed(body, 160, 153, true)
        : packed(body, 70, 67, false);
  }

  private static boolean isGsm(int codePoint) {
    return GSM.indexOf(codePoint) >= 0 || GSM_EXTENSION.indexOf(codePoint) >= 0;
  }

  /** No character is torn apart between two segments. */
  private static int packed(String body, int alone, int together, boolean gsm) {
    int total = 0;
    int segments = 1;
    int used = 0;
    for (int codePoint : body.codePoints().toArray()) {
      int cost =
          gsm ? (GSM_EXTENSION.indexOf(codePoint) >= 0 ? 2 : 1) : Character.charCount(codePoint);
      total += cost;
      used += cost;
      if (used > together) {
        segments++;
        used = cost;
      }
    }
    return total <= alone ? 1 : segments;
  }
}
