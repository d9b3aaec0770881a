import { testScenarios } from "./scenario-tests.ts";

testScenarios((place) => place % 2 === 0);
