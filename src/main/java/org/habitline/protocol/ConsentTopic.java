package org.habitline.protocol;

import java.util.Locale;

/** What a consent text should tell people. */
public enum ConsentTopic {
  AI("that an AI writes, not a person"),
  READERS("who reads the messages"),
  WHEN_READ("when people read the messages"),
  NO_EMERGENCY("that it is no emergency service"),
  CONFIDENTIALITY("the limits of confidentiality"),
  VENDORS("which other companies handle the messages"),
  RETENTION("how long the data is kept"),
  STOPPING("how to stop the messages (STOP)"),
  LEAVING("how to leave the study, which is not the same as stopping the messages"),
  ERASING("how to have the data erased, which is not the same as leaving the study");

  private final String what;

  ConsentTopic(String what) {
    this.what = what;
  }

  /** Returns the key in files. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what people should be told, for the middle of a sentence. */
  String what() {
    return what;
  }
}
