import { userInfo } from "node:os";

/** As whom this program runs, for records of who asked. A container may run under a number that has no name. */
export function loginName(read: () => string = () => userInfo().username): string {
  try {
    return read();
  } catch {
    return "ccscale";
  }
}
