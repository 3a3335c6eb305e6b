package org.habitline.ops.access;

/**
 * A new second factor as a page shows it.
 *
 * @param size the side of the QR code, in modules
 * @param path its dark modules, as the path of an SVG
 * @param written the secret, to be typed in by hand
 */
public record FactorView(int size, String path, String written) {

  static FactorView of(Accounts.NewFactor factor) {
    var picture = OneTimeCodes.picture(OneTimeCodes.address(factor.email(), factor.secret()));
    return new FactorView(picture.size(), picture.path(), OneTimeCodes.written(factor.secret()));
  }
}
