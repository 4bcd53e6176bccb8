/** Says why nothing could be measured. */
export class MeasurementError extends Error {
  override readonly name = 'MeasurementError';
}
