/** The API's "no", with the HTTP status that says so. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}
