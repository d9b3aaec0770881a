import TinyQueue from "tinyqueue";

/** Private IP addresses of one subnet. Like Azure, it gives the lowest free one, so addresses come back soon. */
export interface Addresses {
  take(): string;
  giveBack(address: string): void;
}

/** Azure keeps the first four addresses of every subnet for itself. */
const firstHost = 4;

/** `subnet` numbers the cluster: 10.0.0.0/16, 10.1.0.0/16, … */
export function createAddresses(subnet: number): Addresses {
  const free = new TinyQueue<number>();
  let next = firstHost;
  return {
    take() {
      const host = free.pop() ?? next++;
      return `10.${subnet & 255}.${host >> 8}.${host & 255}`;
    },
    giveBack(address) {
      const [, , high = 0, low = 0] = address.split(".").map(Number);
      free.push(high * 256 + low);
    },
  };
}
