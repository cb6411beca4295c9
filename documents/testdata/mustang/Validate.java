import java.nio.file.Files;
import java.nio.file.Path;
import org.mustangproject.validator.ZUGFeRDValidator;

// Validates files with Mustang, and writes its report beside each: NAME.report.
public class Validate {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            ZUGFeRDValidator validator = new ZUGFeRDValidator();
            validator.disableNotices();
            Files.writeString(Path.of(file + ".report"), validator.validate(file));
        }
    }
}
