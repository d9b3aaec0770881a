/** Where `npm start` writes what runs where. */
export const localEnvironmentFile = ".local/environment.json";
